import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { root } from './project.js';

const rooms = ['activities', 'api', 'bench', 'clients', 'console', 'docs', 'harness', 'local', 'models', 'test', 'verify', 'workflows'];
const filesMax = 25;
/** One file for each step or decision, for ever; one file for each measurement, not kept. */
const grows = new Set(['models/migrations', 'docs/decisions', 'bench/results']);

describe('folders', () => {
  it(`folders hold at most ${filesMax} files each`, () => {
    const counts = new Map<string, number>();
    for (const room of rooms) {
      for (const name of readdirSync(`${root}/${room}`, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(tsx?|sql|json|md)$/.test(name) || name.includes('node_modules')) continue;
        const folder = dirname(`${room}/${name}`);
        counts.set(folder, (counts.get(folder) ?? 0) + 1);
      }
    }
    assert.ok(counts.size > 50, 'the folders were not found');
    const full = [...counts].filter(([folder, count]) => count > filesMax && !grows.has(folder));
    assert.deepEqual(full, []);
  });

  it('every test file is in the run of npm test, once', () => {
    const { spec } = createRequire(import.meta.url)(`${root}/test/support/all-tests.cjs`) as { spec: string[] };
    const sources = readdirSync(`${root}/test`, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.test.ts') && !name.includes('node_modules'),
    );
    const built = spec.map((file) => relative(`${root}/dist/test`, resolve(file)).replace(/js$/, 'ts'));
    assert.deepEqual(built.toSorted(), sources.toSorted());
  });
});
