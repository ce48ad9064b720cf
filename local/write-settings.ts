/**
 * Part of `npm run generate`: writes the declared settings into docs/settings.md, .env.example and docker-compose.yml, which show all of them, the
 * declared metrics into docs/observability/metrics.md, and the boards into deploy/grafana/boards. Tests compare the files with the
 * declarations, so this is the one step after one of them was added or changed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type Joi from 'joi';
import { declared as metrics } from '../models/metrics/catalogue.js';
import { metricsTable } from '../models/metrics/document.js';
import { settings } from '../models/settings/settings.js';
import { dashboardOf } from './boards/board.js';
import { boards } from './boards/index.js';

const root = resolve(import.meta.dirname, '../..');

interface Declared {
  name: string;
  value: string;
  description: string;
}

const declared: Declared[] = Object.entries(settings).map(([name, schema]: [string, Joi.Schema]) => {
  const flags = (schema.describe() as { flags?: { default?: string | number | (string | number)[]; description?: string } }).flags ?? {};
  return { name, value: (flags.default ?? '').toString(), description: flags.description ?? '' };
});
const forUsers = declared.filter(({ description }) => !description.startsWith('set by the local launcher'));

/** Replaces the text of a file by the result of `change`. */
function rewrite(name: string, change: (text: string) => string): void {
  const path = resolve(root, name);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

/** Replaces the text between the two comments of a document. */
const between = (text: string, name: string, content: string): string =>
  text.replace(
    new RegExp(`(<!-- ${name}:.*?-->\\n)[^]*?(<!-- end of ${name} -->)`),
    (_, begin: string, end: string) => `${begin}${content}\n${end}`,
  );

const rows = declared.map(({ name, value, description }) => `| \`${name}\` | ${value} | ${description} |`);
const settingsTable = ['| name | default | meaning |', '|---|---|---|', ...rows].join('\n');
rewrite('docs/settings.md', (text) => between(text, 'settings', settingsTable));
rewrite('docs/observability/metrics.md', (text) => between(text, 'metrics', metricsTable(metrics)));

const entry = ({ name, value, description }: Declared) => `# ${description}\n#${name}=${/[\s#<>]/.test(value) ? `"${value}"` : value}\n`;

/** Values that are filled in at the top of the file, and those that docker-compose.yml fixes at its end, keep their place. */
rewrite('.env.example', (text) => {
  const [top = '', rest = ''] = text.split('# Every other setting of the program, with its default.\n');
  const [, fixed = ''] = rest.split('# docker-compose.yml sets these itself; they are for every other way to run.\n');
  const isNamed = (part: string, name: string) => new RegExp(`^#?${name}=`, 'm').test(part);
  const others = forUsers.filter(({ name }) => !isNamed(top, name) && !isNamed(fixed, name));
  const fixedOnes = forUsers.filter(({ name }) => isNamed(fixed, name));
  return [
    `${top}# Every other setting of the program, with its default.\n`,
    others.map(entry).join('\n'),
    '# docker-compose.yml sets these itself; they are for every other way to run.\n',
    fixedOnes.map(entry).join('\n'),
  ].join('\n');
});

/** Every setting in the order of the declaration. An existing value in the file stays. */
rewrite('docker-compose.yml', (text) =>
  text.replace(/(x-settings: &settings\n)((?: {2}[A-Z0-9_]+: .*\n)+)/, (_, head: string, lines: string) => {
    const present = new Map(lines.split('\n').map((line) => [line.trim().split(':')[0], line]));
    return head + forUsers.map(({ name }) => `${present.get(name) ?? `  ${name}: \${${name}:-}`}\n`).join('');
  }),
);

for (const board of boards)
  writeFileSync(resolve(root, `deploy/grafana/boards/${board.name}.json`), `${JSON.stringify(dashboardOf(board), null, 2)}\n`);
