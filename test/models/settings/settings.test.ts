import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { settings } from '../../../models/settings/settings.js';

describe('docs/settings.md', () => {
  it('docs/settings.md lists the declared settings with their defaults and descriptions', () => {
    const page = readFileSync(resolve(import.meta.dirname, '../../../../docs/settings.md'), 'utf8');
    const table = /<!-- settings:[^]*?-->([^]*?)<!-- end of settings -->/.exec(page)?.[1] ?? '';
    const written = table.split('\n').filter((line) => line.startsWith('| `'));
    const declared = Object.entries(settings).map(([name, schema]) => {
      const { default: value, description } = schema.describe().flags as {
        default?: string | number | string[] | number[];
        description: string;
      };
      return `| \`${name}\` | ${(value ?? '').toString()} | ${description} |`;
    });
    assert.deepEqual(written, declared);
  });
});
