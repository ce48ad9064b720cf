/**
 * `npm run mutations`: breaks a copy of the project in one place at a time and asks the named test to notice. Prints a table; ends with
 * code 1 when a mutation was not caught. `-- --only <text>` takes those whose name contains the text.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../deploy/project.js';
import { mutations } from './mutations.js';
import type { Mutation } from './mutation.js';

/** Longest that one test file may take; one that hangs has noticed nothing. */
const timeoutMs = 300_000;
const left = new Set(['node_modules', '.git', '.data', 'coverage']);

const { only } = parseArgs({ options: { only: { type: 'string', default: '' } } }).values;
const copy = mkdtempSync(join(tmpdir(), 'tidings-mutations-'));
process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
cpSync(root, copy, { recursive: true, filter: (path) => !left.has(relative(root, path)) });
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));

const uncaught = mutations.filter(({ guards }) => guards.includes(only)).filter((mutation) => !isCaught(mutation));
process.stdout.write(`${uncaught.length} not caught\n`);
process.exitCode = uncaught.length === 0 ? 0 : 1;

/** Applies the mutation to the copy, builds, tests, and takes it back; the next build takes it out of what runs. */
function isCaught({ guards, file, find, replace, test }: Mutation): boolean {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  if (source.split(find).length !== 2) throw new Error(`${file} must contain exactly once: ${find}`);
  writeFileSync(
    path,
    source.replace(find, () => replace),
  );
  build();
  const failed = failedTests(test);
  writeFileSync(path, source);
  process.stdout.write(`| ${guards} | ${file} | ${test} | ${failed.length === 0 ? 'NOT CAUGHT' : `${failed.length}: ${failed[0]}`} |\n`);
  return failed.length > 0;
}

/** Types do not matter here: what is mutated is what runs. */
function build(): void {
  const { stdout } = spawnSync('npx', ['tsc', '-p', 'tsconfig.json', '--noEmitOnError', 'false'], { cwd: copy, encoding: 'utf8' });
  if (stdout.includes('error TS1')) throw new Error(stdout); // not even syntax
}

/** Names of the tests that failed. Rules need no servers. */
function failedTests(test: string): string[] {
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
  const { status, stderr } = spawnSync('npx', args, { cwd: copy, encoding: 'utf8', timeout: timeoutMs });
  if (status === null) return [];
  try {
    const { failures } = JSON.parse(readFileSync(join(copy, 'result.json'), 'utf8')) as { failures: { title: string }[] };
    return failures.map(({ title }) => title);
  } catch (error) {
    throw new Error(`${test} did not run: ${stderr}`, { cause: error });
  }
}
