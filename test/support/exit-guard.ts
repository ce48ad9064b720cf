/**
 * Ends a test run that would hang. Mocha runs without `--exit`, so that a test that leaves something open is noticed; this
 * tells what it is and ends the run with an error instead of waiting for ever. Mocha loads this file by `--require`.
 */
const patienceMs = 30_000;

/** Runs when all tests are done. The timer itself keeps nothing alive: where all is closed, the process is gone before. */
export function mochaGlobalTeardown(): void {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().toSorted().join(', ');
    process.stderr.write(`The tests are over, but something they started is still open: ${open}\n`);
    process.exit(1);
  }, patienceMs).unref();
}
