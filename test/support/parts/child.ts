/** The processes of a service in tests. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { resolve } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/**
 * Node 20 compiles only very busy functions to fast code: for a process that lives for seconds, compiling the others costs more than it saves.
 * Later versions have no such option.
 */
export const forBriefProcess = process.versions.node.startsWith('20.') ? ['--interrupt-budget=2000000'] : [];

/** Starts and ends take seconds, more of them on a busy machine. A test must fail with their name, before its own time limit. */
const patienceMs = 100_000;

/** No process has it: it is above the largest pid of Linux. */
export const deadPid = 2 ** 22 + 1;

/** A process that can be killed and started again. */
export interface Child {
  start(): Promise<void>;
  /** SIGKILL, and it is gone when this resolves. */
  kill(): Promise<void>;
  /** SIGTERM. @returns the exit code; null where it did not run, or a signal ended it */
  stop(): Promise<number | null>;
  /** SIGSTOP: it does nothing until `unfreeze`. */
  freeze(): void;
  unfreeze(): void;
}

/** @param logFile for what it writes, instead of the output of the test run */
export function child(script: string, env: NodeJS.ProcessEnv, logFile?: string): Child {
  let running: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals) => {
    const ending = running;
    running = undefined;
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return ending?.exitCode ?? null;
    const gone = once(ending, 'exit');
    ending.kill(signal);
    ending.kill('SIGCONT'); // a frozen process takes no other signal but SIGKILL
    const [code] = (await inTime(ending, gone, `${script} did not end after ${signal}`)) as [number | null];
    await nextTurn(); // until this process has read that the connections are closed: a kept one would fail the next request
    return code;
  };
  return {
    async start() {
      const output = logFile === undefined ? 'inherit' : openSync(logFile, 'a');
      // Without source maps, which cost each thread a tenth of a second of CPU at its start.
      const started = spawn(process.execPath, [...forBriefProcess, resolve(import.meta.dirname, '../../..', script)], {
        env,
        stdio: ['ignore', output, output, 'ipc'],
      });
      running = started;
      const failed = once(started, 'exit').then(([code]) => Promise.reject(new Error(`${script} ended with ${code}`)));
      await inTime(started, Promise.race([once(started, 'message'), failed]), `${script} did not say that it runs`);
      failed.catch(() => undefined);
    },
    kill: async () => {
      await end('SIGKILL');
    },
    stop: () => end('SIGTERM'),
    freeze: () => running?.kill('SIGSTOP'),
    unfreeze: () => running?.kill('SIGCONT'),
  };
}

/** Kills the process where this takes too long. */
async function inTime<Result>(child: ChildProcess, work: Promise<Result>, problem: string): Promise<Result> {
  const limit = new AbortController();
  const late = sleep(patienceMs, undefined, { signal: limit.signal }).then(() => {
    child.kill('SIGKILL');
    throw new Error(`${problem} within ${patienceMs / 1_000} s`);
  });
  late.catch(() => undefined); // an abort, or an error that the race has passed on
  return Promise.race([work, late]).finally(() => limit.abort());
}
