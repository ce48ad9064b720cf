/**
 * What the test files of a process share is closed when the run is over. Only a run without parallel files calls this: Mocha ends the processes
 * of parallel files itself, which ends what they started.
 */
const endings: (() => Promise<void>)[] = [];

export function atEndOfRun(end: () => Promise<void>): void {
  endings.push(end);
}

export async function endRun(): Promise<void> {
  for (const end of endings) await end();
}
