/** The numbers of boards, as Prometheus computes them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { boards } from '../../local/boards/index.js';
import { root } from '../deploy/project.js';
import { allRules, hasPrometheus, ruleFiles } from '../deploy/prometheus-rules.js';

/** Series with their values every 15 seconds, in the notation of promtool. */
type Series = Record<string, string>;

const expressionOf = (title: string) =>
  boards.flatMap(({ panels }) => panels).find((panel) => panel.title === title)?.queries[0]?.[0] ?? assert.fail(`no panel ${title}`);

/** promtool would evaluate every rule for each minute of a test. They change nothing where the panel reads no series that a rule records. */
const rulesOf = (expression: string): string[] =>
  allRules().some(({ record }) => record !== undefined && expression.includes(record)) ? ruleFiles.map((path) => join(root, path)) : [];

/** Asserts what a panel shows at a time. */
function assertShows(title: string, series: Series, at: string, value: number): void {
  const folder = mkdtempSync(join(tmpdir(), 'board-numbers-'));
  try {
    const file = join(folder, 'numbers.test.yml');
    const expr = expressionOf(title);
    const test = {
      interval: '15s',
      input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
      promql_expr_test: [{ expr, eval_time: at, exp_samples: [{ labels: '{}', value }] }],
    };
    writeFileSync(file, stringify({ rule_files: rulesOf(expr), evaluation_interval: '1m', tests: [test] }));
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('numbers of boards', () => {
  before(function () {
    if (!hasPrometheus) this.skip();
  });
  const unknown = 'tidings_handoffs_total{instance="w", channel="sms", account="twilio", outcome="handoff_unknown"}';
  const failedTasks = 'temporal_workflow_task_execution_failed_total{instance="w"}';
  const waits = (outcome: string) => `tidings_report_waits_total{instance="w", channel="sms", outcome="${outcome}"}`;

  it('the first events of a series are counted, and those of a series that existed before', () => {
    assertShows('Unknown hand-offs', { [unknown]: '_x100 4x200' }, '30m', 4);
    assertShows('Unknown hand-offs', { [unknown]: '3x260 7x40' }, '70m', 4);
    assertShows('Unknown hand-offs', { [unknown]: '0x100 4x200' }, '30m', 4);
    assertShows('Failed workflow tasks', { [failedTasks]: '_x100 3x20' }, '26m', 3);
  });

  it('a number of faults is 0 without a series, and when its faults are long ago', () => {
    assertShows('Unknown hand-offs', {}, '30m', 0);
    assertShows('Failed workflow tasks', { [failedTasks]: '_x100 3x60' }, '36m', 0);
  });

  it('faults before a gap in the scrapes are not counted after it', () => {
    assertShows('Unknown hand-offs', { [unknown]: '7x40 _x60 7x300' }, '80m', 0);
    assertShows('Failed workflow tasks', { [failedTasks]: '7x40 _x60 7x60' }, '27m', 0);
  });

  it('the share of missing reports is 0 until five are missing', () => {
    assertShows('Without report', { [waits('missing')]: '0x100 2x100', [waits('reported')]: '9x200' }, '40m', 0);
    assertShows('Without report', { [waits('missing')]: '0x100 6x100', [waits('reported')]: '9x200' }, '40m', 1);
    assertShows('Without report', { [waits('missing')]: '0x200', [waits('reported')]: '0x200' }, '40m', 0);
  });
});
