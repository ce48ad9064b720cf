import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root, textOf } from './project.js';

describe('docs/security.md', () => {
  const rows = textOf('docs/security.md')
    .split('\n')
    .flatMap((line) => {
      const [, section, state, why = ''] = /^\| (\d[^|]*) \| (met|n\/a|open) \| (.*) \|$/.exec(line) ?? [];
      return section === undefined ? [] : [{ section, state, why }];
    });

  it('judges every chapter of the standard', () => {
    const chapters = new Set(rows.map(({ section }) => Number(/^\d+/.exec(section)?.[0])));
    assert.deepEqual(
      [...chapters],
      Array.from({ length: 17 }, (_, index) => index + 1),
    );
  });

  it('names tests that exist', () => {
    const named = rows.flatMap(({ why }) => [...why.matchAll(/`([a-z]+\/[a-z0-9/-]+)`/g)].map(([, name]) => String(name)));
    assert.ok(named.length > 40);
    assert.deepEqual(
      named.filter((name) => !existsSync(join(root, 'test', `${name}.test.ts`))),
      [],
    );
  });
});
