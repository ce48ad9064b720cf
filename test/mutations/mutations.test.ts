import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../deploy/project.js';
import { mutations } from './mutations.js';

describe('deliberate faults', () => {
  it('fit the code as it is: each breaks one place, and names a test that is there', () => {
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
