import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { settings } from '../../../models/settings/settings.js';
import { root, textOf } from '../../deploy/project.js';
import { load } from '../../support/load-settings.js';

describe('docs/settings.md', () => {
  it('docs/settings.md lists the declared settings with their defaults and descriptions', () => {
    const table = /<!-- settings:[^]*?-->([^]*?)<!-- end of settings -->/.exec(textOf('docs/settings.md'))?.[1] ?? '';
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

describe('the typed settings', () => {
  /** The program without the files that make the configuration. */
  const readers = /^models\/settings\/(?!config-warnings)/;
  const program = ['api', 'activities', 'workflows', 'models', 'local'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((path) => `${folder}/${path}`)
      .filter((path) => path.endsWith('.ts') && !readers.test(path))
      .map(textOf),
  );
  const isRead = (pattern: RegExp) => program.some((source) => pattern.test(source));

  it('every quota is used by an operation', () => {
    const unused = Object.keys(load().quotas).filter((name) => !isRead(new RegExp(`\\bquotas\\.${name}\\b`)));
    assert.deepEqual(unused, []);
  });

  it('every field of the configuration is used outside models/settings', () => {
    const fields = Object.keys(load());
    assert.ok(fields.length > 50);
    assert.deepEqual(
      fields.filter((name) => !isRead(new RegExp(`\\b${name}\\b`))),
      [],
    );
  });
});
