/**
 * `npm run mutations`: breaks a copy of the project in one place at a time and asks the named test to notice. Prints a table; ends with
 * code 1 when a mutation was not caught. `-- --only <text>` takes those whose name contains the text.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { chosenBy } from '../../harness/report/only-option.js';
import { type Cleanup, runToExit } from '../../harness/stage/cleanup.js';
import { root } from '../deploy/project.js';
import { mutations } from './mutations.js';
import type { Mutation } from './mutation.js';

/** Longest that one test file may take; one that hangs has noticed nothing. */
const timeoutMs = 300_000;
const runMsMax = 4 * 60 * 60_000;
const left = new Set(['node_modules', '.git', '.data', 'coverage']);

const { only } = parseArgs({ options: { only: { type: 'string', default: '' } } }).values;

await runToExit(runMsMax, async (cleanup) => {
  const chosen = chosenBy(only, mutations, ({ guards }) => guards);
  const copy = mkdtempSync(join(tmpdir(), 'tidings-mutations-'));
  cleanup.add(() => rmSync(copy, { recursive: true, force: true, maxRetries: 3 }));
  cpSync(root, copy, { recursive: true, filter: (path) => !left.has(relative(root, path)) });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const run = runnerIn(copy, cleanup);
  let uncaught = 0;
  for (const mutation of chosen) if (!(await isCaught(mutation, copy, run))) uncaught += 1;
  process.stdout.write(`${uncaught} not caught\n`);
  return uncaught === 0 ? 0 : 1;
});

interface Ended {
  stdout: string;
  stderr: string;
  isInTime: boolean;
}
type Run = (...args: string[]) => Promise<Ended>;

/** Runs programs of npm in the copy, one at a time. Each has a process group of its own, which is killed as a whole: a test starts servers. */
function runnerIn(copy: string, cleanup: Cleanup): Run {
  let end = () => {};
  cleanup.add(() => end());
  return async (...args) => {
    const child = spawn('npx', args, { cwd: copy, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = once(child, 'close');
    let isInTime = true;
    end = () => killGroup(child.pid);
    const timer = setTimeout(() => {
      isInTime = false;
      end();
    }, timeoutMs);
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    clearTimeout(timer);
    end = () => {};
    return { stdout, stderr, isInTime };
  };
}

/** Also when the process that leads the group has ended: others of the group can hold its output open. */
function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // all have ended
  }
}

/** Applies the mutation to the copy, builds, tests, and takes it back; the next build takes it out of what runs. */
async function isCaught({ guards, file, find, replace, test }: Mutation, copy: string, run: Run): Promise<boolean> {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  if (source.split(find).length !== 2) throw new Error(`${file} must contain exactly once: ${find}`);
  writeFileSync(
    path,
    source.replace(find, () => replace),
  );
  await build(run);
  const failed = await failedTests(test, copy, run);
  writeFileSync(path, source);
  process.stdout.write(`| ${guards} | ${file} | ${test} | ${failed.length === 0 ? 'NOT CAUGHT' : `${failed.length}: ${failed[0]}`} |\n`);
  return failed.length > 0;
}

/** Types do not matter here: what is mutated is what runs. */
async function build(run: Run): Promise<void> {
  const { stdout, isInTime } = await run('tsc', '-p', 'tsconfig.json', '--noEmitOnError', 'false');
  if (!isInTime) throw new Error('the build took too long'); // it leaves the mutation before this one in what runs
  if (stdout.includes('error TS1')) throw new Error(stdout); // not even syntax
}

/** Names of the tests that failed. Rules need no servers. */
async function failedTests(test: string, copy: string, run: Run): Promise<string[]> {
  const plain = test.startsWith('models/rules/') ? ['--no-config'] : [];
  const args = [
    'mocha',
    ...plain,
    '--reporter',
    'json',
    '--reporter-option',
    `output=${join(copy, 'result.json')}`,
    `dist/test/${test}.test.js`,
  ];
  rmSync(join(copy, 'result.json'), { force: true });
  const { stderr, isInTime } = await run(...args);
  if (!isInTime) return [];
  try {
    const { failures } = JSON.parse(readFileSync(join(copy, 'result.json'), 'utf8')) as { failures: { title: string }[] };
    return failures.map(({ title }) => title);
  } catch (error) {
    throw new Error(`${test} did not run: ${stderr}`, { cause: error });
  }
}
