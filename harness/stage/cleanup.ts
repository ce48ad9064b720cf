/** Clean-up steps of a run, which always run at its end. */
type Undo = (hasFailed: boolean) => unknown;

/** Runs the steps in reverse order. If one step fails, the others still run. */
export class Cleanup {
  readonly #steps: Undo[] = [];

  add(undo: Undo): void {
    this.#steps.push(undo);
  }

  async run(hasFailed: boolean): Promise<void> {
    for (const undo of this.#steps.splice(0).toReversed()) {
      try {
        await undo(hasFailed);
      } catch (error) {
        process.stderr.write(`while stopping: ${error instanceof Error ? error.message : error}\n`);
      }
    }
  }
}

/**
 * Runs the work of an entry point, cleans up and exits. The exit code is the result of the work, or 1 if it fails, takes too long, or is
 * interrupted.
 */
export async function runToExit(msMax: number, work: (cleanup: Cleanup) => Promise<number>): Promise<never> {
  const cleanup = new Cleanup();
  let exitCode = 1;
  let isInterrupted = false;
  try {
    exitCode = await Promise.race([work(cleanup), interruption(msMax)]);
  } catch (error) {
    isInterrupted = error instanceof Interrupted;
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : error}\n`);
  }
  await cleanup.run(exitCode !== 0 && !isInterrupted);
  process.exit(exitCode);
}

/** By a signal. Nothing of the run is kept, because nobody will look at it. */
class Interrupted extends Error {}

function interruption(msMax: number): Promise<never> {
  return new Promise((_, reject) => {
    const timer = setTimeout(() => reject(new Error(`stopped: not finished after ${msMax / 1000} s`)), msMax);
    timer.unref();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => reject(new Interrupted(`stopped by ${signal}`)));
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) process.on(event, reject);
  });
}
