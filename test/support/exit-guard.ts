/**
 * Ends a test run that would hang. Mocha runs without `--exit`, so that what is left open is noticed; this tells what it is and ends the
 * run with an error instead of waiting for ever. It sees the process of the run only: mocha ends the processes of parallel test files
 * itself, so run a file with `--no-parallel` to find what it leaves open. Mocha loads this file by `--require`.
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
