/** CPU time and memory of a process with its descendants: /proc on Linux, `ps` elsewhere. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

export interface Usage {
  cpuMs: number;
  rssMb: number;
}

interface ProcessRow extends Usage {
  pid: number;
  parent: number;
  /** The part of `rssMb` that is shared with related processes. */
  sharedMb: number;
}

/** USER_HZ, which is 100 on every Linux platform that Node supports. */
const ticksPerSecond = 100;

/** The process id or ids of a part. */
export type Pids = number | readonly number[];

/**
 * The usage of these processes so far, by name. Ended processes count for the parent that waited for them. Memory shared by related processes
 * (the buffers of PostgreSQL) counts once.
 */
export function usageOf<Name extends string>(pids: Readonly<Record<Name, Pids>>): Record<Name, Usage> {
  const rows = readRows();
  // Of this process only its own share counts, because its descendants are measured separately.
  const ofOne = (pid: number) => (pid === process.pid ? rows.filter((row) => row.pid === pid) : familyOf(pid, rows));
  const entries = Object.entries<Pids>(pids).map(([name, all]) => [name, sum([all].flat().flatMap(ofOne))]);
  return Object.fromEntries(entries) as Record<Name, Usage>;
}

/** The CPU time of processes that this process did not start, in milliseconds. */
export function othersCpuMs(): number {
  const busyMs = cpus().reduce((total, { times }) => total + times.user + times.nice + times.sys + times.irq, 0);
  return busyMs - sum(familyOf(process.pid, readRows())).cpuMs;
}

/** The CPU time of a process by thread name, in milliseconds; empty except on Linux. */
export function threadTimes(pid: number): Map<string, number> {
  const times = new Map<string, number>();
  if (process.platform !== 'linux') return times;
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    const stat = read(`/proc/${pid}/task/${id}/stat`);
    if (stat === undefined) continue;
    const { name, fields } = split(stat);
    const label = Number(id) === pid ? 'main thread' : name;
    times.set(label, (times.get(label) ?? 0) + ticks(fields, 11, 12));
  }
  return times;
}

const readRows = () => (process.platform === 'linux' ? rowsFromProc() : rowsFromPs());

function familyOf(pid: number, rows: ProcessRow[]): ProcessRow[] {
  const own = rows.filter((row) => row.pid === pid);
  return own.concat(rows.filter((row) => row.parent === pid).flatMap((child) => familyOf(child.pid, rows)));
}

function sum(family: ProcessRow[]): Usage {
  const add = (of: (row: ProcessRow) => number) => family.reduce((total, row) => total + of(row), 0);
  return {
    cpuMs: add(({ cpuMs }) => cpuMs),
    rssMb: add(({ rssMb, sharedMb }) => rssMb - sharedMb) + Math.max(0, ...family.map(({ sharedMb }) => sharedMb)),
  };
}

function rowsFromProc(): ProcessRow[] {
  return readdirSync('/proc').flatMap((name) => {
    const [stat, status] = /^\d+$/.test(name) ? [read(`/proc/${name}/stat`), read(`/proc/${name}/status`)] : [];
    if (stat === undefined || status === undefined) return []; // the process has just ended
    const { fields } = split(stat);
    const megabytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024;
    return {
      pid: Number(name),
      parent: Number(fields[1]),
      cpuMs: ticks(fields, 11, 12, 13, 14),
      rssMb: megabytes('VmRSS'),
      sharedMb: megabytes('RssShmem') + megabytes('RssFile'),
    };
  });
}

/** The name is in parentheses and may contain any character, so the other fields are counted from its end. */
function split(stat: string): { name: string; fields: string[] } {
  const end = stat.lastIndexOf(')');
  return { name: stat.slice(stat.indexOf('(') + 1, end), fields: stat.slice(end + 2).split(' ') };
}

const ticks = (fields: string[], ...indexes: number[]) =>
  indexes.reduce((total, index) => total + Number(fields[index]), 0) * (1000 / ticksPerSecond);

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

function rowsFromPs(): ProcessRow[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,time=,rss='], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
  return stdout.split('\n').flatMap((line) => {
    const [pid, parent, time, rss] = line.trim().split(/\s+/);
    if (time === undefined) return [];
    return { pid: Number(pid), parent: Number(parent), cpuMs: readTime(time), rssMb: Number(rss) / 1024, sharedMb: 0 };
  });
}

/** Parses `[[days-]hours:]minutes:seconds`, the format of `ps`. */
function readTime(text: string): number {
  const [clock = '', days = '0'] = text.split('-').toReversed();
  return clock.split(':').reduce((total, part) => total * 60 + Number(part), 0) * 1000 + Number(days) * 86_400_000;
}
