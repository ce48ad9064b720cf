/**
 * A test and a hook have at most 40 lines, as every function. Lint counts the callbacks of `describe` too, which may be longer. So
 * .oxlintrc.json leaves test files out, and their other functions are counted here. The titles of tests are checked, too.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, textOf } from './project.js';

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

/** The commonest verbs with which titles without a subject begin, alone or behind an HTTP status. Not those that may also be nouns. */
const bareVerbs =
  'accepts|adds|allows|asks|begins|checks|closes|continues|counts|creates|deletes|ends|exits|fails|finds|gets|gives|has|holds|ignores|is|' +
  'keeps|leaves|lists|makes|offers|prints|reads|refuses|removes|resumes|returns|revokes|says|serves|shows|stores|takes|tells|' +
  'writes';

/** The literal titles in the text of a test file that occur twice or have no subject. */
function faultyTitles(text: string): string[] {
  const titles = [...text.matchAll(/\bit\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g)].map(([, , title = '']) => title);
  const literal = titles.filter((title) => !title.includes('${'));
  const lacksSubject = new RegExp(`^(?:[2-5]\\d\\d )?(?:${bareVerbs})\\b`);
  return literal.filter((title, index) => lacksSubject.test(title) || literal.indexOf(title) < index);
}

describe('titles of tests', () => {
  it('a title of a test is faulty if it occurs twice in its file or begins with a bare verb', () => {
    const titles = [
      'a page is shown',
      'shows a page',
      'a page is shown',
      '200 lists pages',
      '200 for a list',
      'issues are listed',
      '${page}',
    ];
    const sample = titles.map((title) => `it('${title}', () => {});`).join('\n');
    assert.deepEqual(faultyTitles(sample), ['shows a page', 'a page is shown', '200 lists pages']);
  });

  it('titles of tests occur once in a file and name their subject', () => {
    const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
      .map((name) => `test/${name}`);
    assert.ok(files.length > 500, 'the test files were not found');
    assert.deepEqual(
      files.flatMap((file) => faultyTitles(textOf(file)).map((title) => `${file}: ${title}`)),
      [],
    );
  });
});
