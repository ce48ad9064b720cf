/**
 * A test and a hook have at most 40 lines, as every function. Lint counts the callbacks of `describe` too, which may be longer. So
 * .oxlintrc.json leaves test files out, and their other functions are counted here.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './project.js';

const linesMax = 40;

interface Diagnostic {
  filename: string;
  labels: { span: { offset: number; line: number } }[];
}

describe('functions in test files', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidings-lengths-'));
    const rules = { 'max-lines-per-function': ['error', { max: linesMax }] };
    writeFileSync(join(folder, 'lint.json'), JSON.stringify({ categories: { correctness: 'off' }, rules }));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** File and line of functions that are too long, without callbacks of `describe`. */
  const tooLong = (below: string): string[] => {
    const oxlint = join(root, 'node_modules/.bin/oxlint');
    const run = spawnSync(oxlint, ['--format=json', '-c', join(folder, 'lint.json'), 'test'], { cwd: below, encoding: 'utf8' });
    const { diagnostics } = JSON.parse(run.stdout) as { diagnostics: Diagnostic[] };
    return diagnostics
      .filter(({ filename }) => filename.endsWith('.test.ts'))
      .flatMap(({ filename, labels }) => labels.map(({ span }) => ({ filename, line: span.line })))
      .filter(({ filename, line }) => !/^\s*describe\w*\(/.test(readFileSync(join(below, filename), 'utf8').split('\n')[line - 1] ?? ''))
      .map(({ filename, line }) => `${filename}:${line}`);
  };

  it('functions in test files are counted but for callbacks of describe', () => {
    const lines = Array.from({ length: linesMax - 2 }, () => '    assert.ok(true);');
    const sample = [
      'describe("x", () => {',
      '  it("short", () => {',
      ...lines,
      '  });',
      '  it("long", () => {',
      ...lines,
      '',
      '  });',
      '});',
    ];
    mkdirSync(join(folder, 'test'));
    writeFileSync(join(folder, 'test/sample.test.ts'), sample.join('\n'));
    assert.deepEqual(tooLong(folder), [`test/sample.test.ts:${linesMax + 2}`]);
  });

  it(`functions in test files have at most ${linesMax} lines`, () => {
    assert.deepEqual(tooLong(root), []);
  });
});
