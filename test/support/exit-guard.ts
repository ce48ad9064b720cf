/**
 * Ends a test run that would not end. Mocha runs without `--exit`, so that open handles are noticed. Mocha loads this file by `--require`.
 *
 * After the tests, an open handle would keep the run alive for ever: this names the handle and ends the run with an error. It sees only
 * the process of the run. Mocha ends the processes of parallel test files itself, so run a file with `--no-parallel` to find its handles.
 *
 * Mocha also runs the tests in a child process when it gets options for Node, and a signal to the parent ends only the parent.
 * The child then ends itself, which ends the processes of parallel files, and the guard of the servers ends those.
 */
import { basename } from 'node:path';

const patienceMs = 30_000;
const parentCheckMs = 500;

/** Runs when all tests are done. The timer keeps nothing alive: without open handles the process ends before. */
export function mochaGlobalTeardown(): void {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().toSorted().join(', ');
    process.stderr.write(`The tests are over, but something they started is still open: ${open}\n`);
    process.exit(1);
  }, patienceMs).unref();
}

const [, program = ''] = process.argv;
const parent = process.ppid;
/** The program of the child; the parent runs `bin/mocha.js`. */
if (basename(program) === 'cli.js') setInterval(endWithParent, parentCheckMs).unref();

function endWithParent(): void {
  if (process.ppid === parent) return;
  process.stderr.write('The test run was killed\n');
  process.exit(143);
}
