import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonOf, root, textOf } from '../deploy/project.js';
import { mutations } from './mutations.js';

describe('deliberate faults', () => {
  it('deliberate faults fit the code: each breaks one place, and names a test that exists', () => {
    for (const { guards, file, find, replace, test } of mutations) {
      assert.equal(readFileSync(join(root, file), 'utf8').split(find).length, 2, `${guards}: ${file} must contain exactly once: ${find}`);
      assert.notEqual(find, replace, guards);
      assert.ok(existsSync(join(root, 'test', `${test}.test.ts`)), `${guards}: ${test}`);
    }
  });

  it('deliberate faults have a row each in the table', () => {
    const table = readFileSync(join(root, 'test/mutations/README.md'), 'utf8');
    for (const { guards, file, test } of mutations) assert.ok(table.includes(`| ${guards} | ${file} | ${test} | `), guards);
  });
});

describe('mutations of all rules', () => {
  it('mutations of all rules run with tests that read no folder which the copy lacks', () => {
    const { ignorePatterns, tap } = jsonOf<{ ignorePatterns: string[]; tap: { testFiles: string[] } }>('test/mutations/stryker.json');
    const begins = tap.testFiles.map((pattern) => pattern.replace('dist/', '').replace(/[*{].*$|\.js$/, ''));
    const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
      .map((path) => `test/${path}`)
      .filter((path) => path.endsWith('.test.ts') && begins.some((begin) => path.startsWith(begin)));
    assert.ok(tests.length > 30);
    const ignored = ignorePatterns.map((pattern) => `${pattern.slice(1)}/`);
    const readsIgnored = (test: string) =>
      [...textOf(test).matchAll(/['`]((?:\.\.\/)*)(\.?\w[\w./-]*)/g)].some(
        ([, up = '', to = '']) =>
          (up === '' || up.length / 3 >= test.split('/').length - 1) && ignored.some((folder) => to.startsWith(folder)),
      );
    assert.deepEqual(tests.filter(readsIgnored), []);
  });
});
