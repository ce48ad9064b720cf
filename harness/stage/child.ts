/** Child processes that talk to this one. */
import { type ChildProcess, fork, type ForkOptions } from 'node:child_process';
import { once } from 'node:events';
import type { Cleanup } from './cleanup.js';

const answerMsMax = 90_000;

/** Starts a script, which is stopped at the end of the run. */
export function startChild(
  script: string,
  cleanup: Pick<Cleanup, 'add'>,
  { args = [], ...options }: ForkOptions & { args?: string[] } = {},
): ChildProcess {
  // The advanced serialization preserves maps.
  const child = fork(script, args, { serialization: 'advanced', execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'], ...options });
  cleanup.add(() => stopChild(child));
  return child;
}

/** Sends a command. @returns the next message of the child */
export function ask<Message>(child: ChildProcess, command: object | string, msMax?: number): Promise<Message> {
  const message = nextMessage<Message>(child, msMax);
  if (child.connected) child.send(command);
  return message;
}

/** The next message of the child. @throws if it ends before, or sends none in this time */
export async function nextMessage<Message>(child: ChildProcess, msMax = answerMsMax): Promise<Message> {
  const ended = new Error(`${child.spawnargs.join(' ')} ended before it answered`);
  if (!child.connected) throw ended;
  const gone = new AbortController();
  const leave = () => gone.abort(ended);
  child.once('disconnect', leave); // not `exit`, which may come before the last message
  try {
    const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(msMax)]);
    const [message] = (await once(child, 'message', { signal })) as [Message];
    return message;
  } catch (error) {
    throw gone.signal.aborted ? ended : error;
  } finally {
    child.off('disconnect', leave);
  }
}

/** Stops a child process by closing its channel, and kills it if it does not end. */
export async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  if (child.connected) child.disconnect();
  const force = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(force);
}
