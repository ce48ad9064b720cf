import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../process/logger.js';

const firstPauseMs = 50;
const longestPauseMs = 2_000;

/**
 * Repeats work until it succeeds, at growing intervals. Only its first failure is logged, because an outage would fill the log with the same
 * line.
 * @param work must be safe to repeat
 * @param options text: the log line; fields: what it contains besides the error; forMs: how long it is repeated. Default: for ever
 * @throws the last error when the time is over
 */
export async function retry<Result>(
  work: () => Promise<Result>,
  {
    logger,
    text,
    fields,
    forMs = Number.POSITIVE_INFINITY,
  }: { logger: Pick<Logger, 'warn'>; text: string; fields?: object; forMs?: number },
): Promise<Result> {
  const until = performance.now() + forMs;
  let isRepeated = false;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await work();
    } catch (err) {
      if (performance.now() >= until) throw err;
      if (!isRepeated) logger.warn({ err, ...fields }, text);
      isRepeated = true;
      await sleep(pauseMs * (0.75 + 0.5 * Math.random()));
    }
  }
}
