/** Work whose duration must not tell what was found: an answer takes 100 ms, or the next multiple. */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

const answerMs = 100;

/** Waits for the next multiple, whatever became of the work. */
export async function atEvenTimes<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const done = await refusedAtEvenTimes(work);
  await untilEven(startedAt);
  return done;
}

/** The same for failures only: a success tells what it found anyway. */
export async function refusedAtEvenTimes<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  return work().catch(async (error: unknown) => {
    await untilEven(startedAt);
    throw error;
  });
}

function untilEven(startedAt: number): Promise<void> {
  const elapsedMs = performance.now() - startedAt;
  return sleep(Math.ceil(elapsedMs / answerMs) * answerMs - elapsedMs);
}
