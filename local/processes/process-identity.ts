/** Which process is meant: a pid alone may by now belong to somebody else, a pid with its start time may not. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ProcessIdentity {
  pid: number;
  /** When it started, in whatever form the system tells it; only ever compared. */
  started: string;
}

/** One try at ending a process. */
export interface StopStep {
  signal: NodeJS.Signals;
  waitMs: number;
}

/** Identity of the process that has this pid now; undefined when none has (a zombie counts as none). */
export function identify(pid: number): ProcessIdentity | undefined {
  const started = process.platform === 'linux' ? startFromProc(pid) : startFromPs(pid);
  return started === undefined ? undefined : { pid, started };
}

/** Whether exactly this process still runs. */
export const isAlive = (identity: ProcessIdentity): boolean => identify(identity.pid)?.started === identity.started;

/**
 * Ends a process: each signal in turn with its time to obey, in the end SIGKILL for its whole group.
 * Resolves when it is gone. Never signals another process that took over the pid.
 */
export async function endProcess(identity: ProcessIdentity, steps: readonly StopStep[]): Promise<void> {
  for (const { signal, waitMs } of steps) {
    if (!isAlive(identity)) return;
    send(identity.pid, signal);
    if (await isGoneWithin(identity, waitMs)) return;
  }
  killGroup(identity);
  await isGoneWithin(identity, 5_000);
}

/** SIGKILL for the process and the group it leads, if it still runs. */
export function killGroup(identity: ProcessIdentity): void {
  if (!isAlive(identity)) return;
  send(-identity.pid, 'SIGKILL');
  send(identity.pid, 'SIGKILL');
}

async function isGoneWithin(identity: ProcessIdentity, waitMs: number): Promise<boolean> {
  const until = performance.now() + waitMs;
  while (isAlive(identity)) {
    if (performance.now() > until) return false;
    await sleep(25); // it need not be our child, so there is no event to wait for
  }
  return true;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // gone meanwhile
  }
}

function startFromProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field, the name, is in parentheses and may contain anything: count from its end.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, ticksSinceBoot] = [fields[0], fields[19]];
    return state === 'Z' || state === 'X' ? undefined : `${bootId()}/${ticksSinceBoot}`;
  } catch {
    return undefined;
  }
}

const bootId = () => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();

function startFromPs(pid: number): string | undefined {
  const { stdout } = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  });
  const [, state, started] = /^\s*(\S+)\s+(.+?)\s*$/.exec(stdout) ?? [];
  return started === undefined || state?.startsWith('Z') ? undefined : started;
}
