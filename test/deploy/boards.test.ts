/** The Grafana boards of deploy/grafana. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { dashboardOf } from '../../local/boards/board.js';
import { boards } from '../../local/boards/index.js';
import { jsonOf, root, textOf } from './project.js';
import { knownLabels, knownMetrics, labelsIn, metricsIn } from './prometheus-rules.js';

interface Shown {
  panels: { title: string; gridPos: { x: number; y: number; w: number; h: number } }[];
}

describe('boards', () => {
  it('are written as they are declared: npm run settings writes them', () => {
    const files = readdirSync(join(root, 'deploy/grafana/boards'));
    assert.deepEqual(files.toSorted(), boards.map(({ name }) => `${name}.json`).toSorted());
    for (const board of boards) assert.deepEqual(jsonOf(`deploy/grafana/boards/${board.name}.json`), dashboardOf(board), board.name);
  });

  it('read only metrics and labels that exist, and name only these in legends', () => {
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

  it('show every metric of the service somewhere, or an alert reads it', () => {
    const shown = new Set(boards.flatMap(({ panels }) => panels.flatMap(({ queries }) => queries.flatMap(([expr]) => metricsIn(expr)))));
    const rules = textOf('deploy/prometheus/alerts.rules.yml') + textOf('deploy/prometheus/slo.rules.yml');
    const unseen = [...knownMetrics()].filter(
      (name) => name.startsWith('tidings_') && !/_(bucket|count|sum)$/.test(name) && !shown.has(name) && !rules.includes(name),
    );
    assert.deepEqual(unseen, ['tidings_messages_open_complete']);
  });

  it('place panels beside each other, not upon each other', () => {
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
