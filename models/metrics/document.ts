/** docs/observability/metrics.md's table, from the declarations. */
import type { Declared } from './declare.js';

const units: [RegExp, string][] = [
  [/_timestamp_seconds$/, 'seconds since 1970'],
  [/_seconds$/, 'seconds'],
  [/_bytes$/, 'bytes'],
  [/_messages$/, 'messages'],
];

/** In words: `seconds`, `messages`. */
export const unitOf = ({ name }: Declared) => units.find(([pattern]) => pattern.test(name))?.[1] ?? 'count';
const labelsOf = ({ labels }: Declared) => labels.map((label) => `\`${label}\``).join(', ');
const meaningOf = ({ help, buckets }: Declared) => (buckets === undefined ? help : `${help}. Buckets: ${buckets.join(', ')}`);
const sources = { api: 'API', worker: 'worker', both: 'API, worker' };

/** The table of metrics, in Markdown. */
export const metricsTable = (metrics: readonly Declared[]): string =>
  [
    '| name | kind | unit | labels | from | meaning |',
    '|---|---|---|---|---|---|',
    ...metrics.map(
      (metric) =>
        `| \`${metric.name}\` | ${metric.kind} | ${unitOf(metric)} | ${labelsOf(metric)} | ${sources[metric.from]} | ${meaningOf(metric)} |`,
    ),
  ].join('\n');
