/**
 * `npm run chaos:report`: writes docs/reliability.md from the results of `npm run chaos`.
 * `-- --placeholders` writes the page without runs, with placeholders for their figures.
 * `-- --interleavings <file>` adds the figures of the interleaver: JSON with `schedules` and `violations`.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../../deploy/project.js';
import { nemesisNames } from '../nemeses/all.js';
import { rules } from '../oracle/judge.js';
import { mutants, notice } from '../oracle/mutants/all.js';
import type { Summary } from '../summary.js';
import { type Interleavings, pageOf } from './page.js';

const { values } = parseArgs({
  options: {
    results: { type: 'string', default: '.data/chaos' },
    interleavings: { type: 'string' },
    placeholders: { type: 'boolean', default: false },
  },
});

const readJson = <T>(path: string) => JSON.parse(readFileSync(path, 'utf8')) as T;

const folder = resolve(values.results);
const summaries = (existsSync(folder) ? readdirSync(folder) : [])
  .filter((name) => /^run-\d+\.json$/.test(name))
  .map((name) => readJson<Summary>(join(folder, name)))
  .toSorted((one, other) => one.seed - other.seed);
if (summaries.length === 0 && !values.placeholders) throw new Error('there is no run: npm run chaos -- --seeds 1-60');
const unnoticed = mutants.filter((mutant) => !notice(mutant).by.includes(mutant.rule)).map(({ name }) => name);

const page = pageOf({
  summaries,
  rules,
  nemeses: nemesisNames,
  mutants: { planted: mutants.length, unnoticed },
  interleavings: values.interleavings === undefined ? null : readJson<Interleavings>(values.interleavings),
  machine: {
    cores: cpus().length,
    model: cpus()[0]?.model.trim() ?? 'unknown',
    memoryMb: Math.round(totalmem() / 1_048_576),
    node: process.versions.node,
  },
});
writeFileSync(join(root, 'docs/reliability.md'), page);
process.stdout.write(`docs/reliability.md: ${summaries.length} runs\n`);
