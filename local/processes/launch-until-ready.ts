/** Starts a part and waits until it is ready. */
import { setTimeout as sleep } from 'node:timers/promises';
import { lastLines, startProcess, type Part, type Running } from './part.js';
import type { RunRecord } from '../state/run-record.js';
import { reasonOf, StartError } from '../output/start-error.js';

/**
 * Starts the part and resolves when it is ready.
 * @param cancel cancels the start
 * @throws StartError with the last lines of its output; no process is left then
 */
export async function launchUntilReady(part: Part, record: RunRecord, cancel: AbortSignal): Promise<Running> {
  const { name, ready, readyTimeoutMs, ipc } = part;
  const attempt = new AbortController();
  const signal = AbortSignal.any([attempt.signal, cancel]);
  const running = await startProcess(part, record, ipc);
  let reason = '';
  const notYet = (error: unknown) => {
    reason = ` (${reasonOf(error)})`;
  };
  try {
    await Promise.race([
      ready(running, signal, notYet),
      running.ended.then(({ how }) => Promise.reject(new StartError(`${name} ended during its start (${how})`))),
      sleep(readyTimeoutMs, undefined, { signal }).then(() =>
        Promise.reject(new StartError(`${name} was not ready within ${readyTimeoutMs / 1000} s${reason}`)),
      ),
    ]);
    signal.throwIfAborted(); // `ready` returns without an error
  } catch (error) {
    await running.end();
    const lines = lastLines(running.output());
    throw new StartError(`${reasonOf(error)}${lines.trim() === '' ? '.' : `; the end of ${part.log}:\n${lines}`}`, { cause: error });
  } finally {
    attempt.abort();
  }
  return running;
}
