/** Identifies a process by pid and start time. A pid alone may belong to another process by now. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ProcessIdentity {
  pid: number;
  /** The start time in the format of the operating system. It is only compared for equality. */
  started: string;
}

/** A signal to stop a process, and how long to wait for its end. */
export interface StopStep {
  signal: NodeJS.Signals;
  waitMs: number;
}

/** The identity of the process that has this pid now; undefined if there is none. A zombie does not count. */
export function identify(pid: number): ProcessIdentity | undefined {
  const started = process.platform === 'linux' ? startFromProc(pid) : startFromPs(pid);
  return started === undefined ? undefined : { pid, started };
}

/** Whether exactly this process is still running. */
export const isAlive = (identity: ProcessIdentity): boolean => identify(identity.pid)?.started === identity.started;

/**
 * Stops a process: sends each signal in turn and waits, then sends SIGKILL to its process group. Resolves when the process has ended. Never
 * signals another process that has got the same pid.
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

/** Sends SIGKILL to the process and its process group, if it is still running. */
export function killGroup(identity: ProcessIdentity): void {
  if (!isAlive(identity)) return;
  send(-identity.pid, 'SIGKILL');
  send(identity.pid, 'SIGKILL');
}

async function isGoneWithin(identity: ProcessIdentity, waitMs: number): Promise<boolean> {
  const until = performance.now() + waitMs;
  while (isAlive(identity)) {
    if (performance.now() > until) return false;
    await sleep(25); // it may not be our child process, so there is no event to wait for
  }
  return true;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // the process has ended meanwhile
  }
}

function startFromProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the process name in parentheses. It may contain any character, so the other fields are counted from its end.
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
    // Local times would change with the zone of the shell.
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  });
  const [, state, started] = /^\s*(\S+)\s+(.+?)\s*$/.exec(stdout) ?? [];
  return started === undefined || state?.startsWith('Z') ? undefined : started;
}
