/** The Grafana boards of deploy/grafana. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { activitySlots } from '../../activities/support/slots.js';
import { dashboardOf, quantile } from '../../local/boards/board.js';
import { boards } from '../../local/boards/index.js';
import { othersBoard } from '../../local/boards/others.js';
import { declared } from '../../models/metrics/catalogue.js';
import type { Declared } from '../../models/metrics/declare.js';
import { jsonOf, root, textOf } from './project.js';
import { shown } from '../screenshots/boards/format.js';
import { withShortTimes } from '../screenshots/boards/read-board.js';
import { knownLabels, knownMetrics, labelsIn, metricsIn } from './prometheus-rules.js';

interface Shown {
  panels: { title: string; type: string; gridPos: { x: number; y: number; w: number; h: number }; targets: { instant?: boolean }[] }[];
}

describe('boards', () => {
  it('boards are written as they are declared: npm run generate writes them', () => {
    const files = readdirSync(join(root, 'deploy/grafana/boards'));
    assert.deepEqual(files.toSorted(), boards.map(({ name }) => `${name}.json`).toSorted());
    for (const board of boards) assert.deepEqual(jsonOf(`deploy/grafana/boards/${board.name}.json`), dashboardOf(board), board.name);
  });

  it('boards read only metrics and labels that exist, and name only these in legends', () => {
    const known = knownMetrics();
    for (const { name, panels } of boards) {
      for (const { title, queries } of panels) {
        for (const [expr, legend] of queries) {
          const read = metricsIn(expr);
          assert.ok(read.length > 0, `${name}: ${title}`);
          assert.deepEqual(
            read.filter((metric) => !known.has(metric)),
            [],
            `${name}: ${title}`,
          );
          const labels = [...labelsIn(expr), ...[...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label)];
          assert.deepEqual(
            labels.filter((label) => !knownLabels.has(label)),
            [],
            `${name}: ${title}`,
          );
        }
      }
    }
  });

  it('boards show every metric of the service', () => {
    const shown = new Set(boards.flatMap(({ panels }) => panels.flatMap(({ queries }) => queries.flatMap(([expr]) => metricsIn(expr)))));
    const unseen = declared.filter(({ name, kind }) => !shown.has(kind === 'histogram' ? `${name}_bucket` : name));
    assert.deepEqual(unseen, []);
  });

  it('the board of Temporal knows how many slots a worker has for pages', () => {
    const exprs = boards.flatMap(({ panels }) => panels.flatMap(({ queries }) => queries.map(([expr]) => expr)));
    const numbers = exprs.flatMap((expr) =>
      [...expr.matchAll(/(\d+) - temporal_worker_task_slots_used\{task_queue="bulk"/g)].map(([, slots]) => slots),
    );
    assert.deepEqual(new Set(numbers), new Set([String(activitySlots.bulk)]));
  });

  it('a metric that no board reads gets a panel of its kind on the board of other metrics', () => {
    const metrics: Declared[] = [
      { name: 'tidings_calls_total', kind: 'counter', help: 'Calls', labels: [], from: 'api' },
      { name: 'tidings_calls_open', kind: 'gauge', help: 'Open calls', labels: ['account'], from: 'both' },
      { name: 'tidings_call_seconds', kind: 'histogram', help: 'Time of a call', labels: ['account'], from: 'api', buckets: [1] },
      { name: 'tidings_call_timestamp_seconds', kind: 'gauge', help: 'The last call', labels: [], from: 'api' },
      { name: 'tidings_key_expiry_timestamp_seconds', kind: 'gauge', help: 'The end of the key', labels: [], from: 'api' },
    ];
    const { panels } = othersBoard(metrics, []);
    assert.deepEqual(
      panels.map(({ unit, queries }) => [unit, ...queries.flat()]),
      [
        ['ops', 'sum(rate(tidings_calls_total[5m]))', ''],
        ['short', 'tidings_calls_open', '{{instance}} {{account}}'],
        [
          's',
          quantile(0.5, 'tidings_call_seconds', ['account']),
          'p50 {{account}}',
          quantile(0.95, 'tidings_call_seconds', ['account']),
          'p95 {{account}}',
        ],
        ['s', 'time() - tidings_call_timestamp_seconds', '{{instance}}'],
        ['s', 'tidings_key_expiry_timestamp_seconds - time()', '{{instance}}'],
      ],
    );
    assert.deepEqual(othersBoard(metrics, [{ name: 'calls', title: 'calls', panels }]).panels, []);
  });

  it('boards have a section with a picture each in boards.md: npm run screenshots:boards takes them', () => {
    const pictures = readdirSync(join(root, 'docs/images/boards'));
    assert.deepEqual(pictures.toSorted(), boards.map(({ name }) => `${name}.png`).toSorted());
    const sections = textOf('docs/observability/boards.md').split(/^## /m).slice(2);
    assert.deepEqual(
      sections.map((text) => [text.split('\n')[0]?.toLowerCase(), ...[...text.matchAll(/!\[.+\]\((.+)\)/g)].map(([, file]) => file)]),
      boards.map(({ name, title }) => [title.toLowerCase(), `../images/boards/${name}.png`]),
    );
  });

  it('boards are explained in docs/observability/boards.md by panels that they have', () => {
    const sections = textOf('docs/observability/boards.md').split(/^## /m).slice(2);
    for (const [index, { name, panels }] of boards.entries()) {
      const named = [...(sections[index] ?? '').matchAll(/\*\*(.+?)\*\*/g)].map(([, title = '']) => title.replaceAll(/\s+/g, ' '));
      assert.ok(named.length > 3, name);
      assert.deepEqual(
        named.filter((each) => !panels.some(({ title }) => title === each)),
        [],
        name,
      );
    }
  });

  it('boards are drawn for the documents with the units of Grafana', () => {
    const texts = [
      shown(0, 's'),
      shown(0.0123, 's'),
      shown(90, 's'),
      shown(172_800, 's'),
      shown(0.056, 'percentunit'),
      shown(1_234_567, 'short'),
      shown(0.25, 'mps'),
      shown(1_500, 'reqps'),
      shown(157_286_400, 'bytes'),
    ];
    assert.deepEqual(texts, ['0 s', '12.3 ms', '1.5 mins', '2 days', '5.6%', '1.23 Mil', '0.25 msg/s', '1.5 K req/s', '150 MiB']);
  });

  it('boards are drawn for the documents with a tenth of short windows and waits', () => {
    const texts = ['rate(x[5m])', 'x unless x offset 15m', 'for: 1m', 'for: 15s', 'rate(x[1h])', 'rate(x[30m])'].map(withShortTimes);
    assert.deepEqual(texts, ['rate(x[30s])', 'x unless x offset 90s', 'for: 6s', 'for: 2s', 'rate(x[1h])', 'rate(x[30m])']);
  });

  it('a number on a board is of now, not the last value of a process that is gone', () => {
    for (const { panels } of boards.map((board) => dashboardOf(board) as Shown)) {
      for (const { title, type, targets } of panels)
        assert.ok(
          targets.every(({ instant = false }) => instant === (type === 'stat')),
          title,
        );
    }
  });

  it('panels of boards are beside each other, not upon each other', () => {
    for (const board of boards) {
      const { panels } = dashboardOf(board) as Shown;
      for (const [index, { title, gridPos: one }] of panels.entries()) {
        assert.ok(one.x >= 0 && one.x + one.w <= 24, title);
        for (const { gridPos: other } of panels.slice(index + 1)) {
          const isApart = one.x + one.w <= other.x || other.x + other.w <= one.x || one.y + one.h <= other.y || other.y + other.h <= one.y;
          assert.ok(isApart, `${board.name}: ${title}`);
        }
      }
    }
  });
});
