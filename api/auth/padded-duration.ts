/** Hides how long work took: a response takes 100 ms or a multiple of it. So its duration does not reveal whether an account exists. */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

const stepMs = 100;

/** Runs the work and waits for the next multiple of 100 ms, whether it succeeds or fails. */
export async function withPaddedDuration<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await withPaddedFailure(work);
  await padSince(startedAt);
  return result;
}

/** Waits only when the work fails. A success reveals its result anyway. */
export async function withPaddedFailure<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  return work().catch(async (error: unknown) => {
    await padSince(startedAt);
    throw error;
  });
}

function padSince(startedAt: number): Promise<void> {
  const elapsedMs = performance.now() - startedAt;
  return sleep(Math.ceil(elapsedMs / stepMs) * stepMs - elapsedMs);
}
