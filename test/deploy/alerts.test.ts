/** The alerts as they are written; the tests alerts-fire*.test.ts let each of them fire on a real service. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { commands } from '../../api/admin/commands/index.js';
import { freshDatabase, rows } from '../support/database.js';
import { root, textOf } from './project.js';
import { allRules, hasPrometheus, knownLabels, knownMetrics, labelsIn, metricsIn, ruleFiles } from './prometheus-rules.js';

const alerts = allRules().filter(({ alert }) => alert !== undefined);
/** The pages of the runbook. */
const pages = ['docs/runbook.md', 'docs/observability/runbook-servers.md'];
const runbook = pages.map(textOf).join('\n');
/** Heading → its section, and the page that has it. */
const sections = new Map(
  pages.flatMap((page) =>
    textOf(page)
      .split(/^### /m)
      .slice(1)
      .map((text) => [/^\S+/.exec(text)?.[0] ?? '', { page, text }] as const),
  ),
);
/** Both burn rates of an objective have one section. */
const sectionOf = (alert = '') => alert.replace(/Burn(Fast|Slow)$/, 'Burn');

const faultTests = readdirSync(join(root, 'test/deploy')).filter((name) => name.startsWith('alerts-fire'));
/** The alerts that a test waits for, by `prometheus.fires([…])` or `prometheus.firesBy([…], …)`. */
const alertsCaused = (test: string) =>
  [...test.matchAll(/\.fires(?:By)?\(\s*\[([^\]]*)\]/g)].flatMap(([, names = '']) =>
    [...names.matchAll(/'(Tidings\w+)'/g)].map(([, name = '']) => name),
  );

/** The collector runs eight times less often, which saves a fifth of the CPU time. */
const env = { ...process.env, GOGC: '800' };
const promtool = (...args: string[]) => spawnSync('promtool', args, { cwd: root, env, encoding: 'utf8' });

describe('alerts', () => {
  it('alerts have a severity, a summary and a section in the runbook, which says what to do', () => {
    assert.ok(alerts.length > 25);
    for (const { alert, labels, annotations } of alerts) {
      assert.match(alert ?? '', /^Tidings[A-Z]\w+$/);
      assert.ok(['page', 'ticket', 'info'].includes(labels?.severity ?? ''), alert);
      assert.ok((annotations?.summary.length ?? 0) > 15, alert);
      const section = sections.get(sectionOf(alert)) ?? assert.fail(`no section ${alert}`);
      assert.equal(annotations?.runbook_url, `${section.page}#${sectionOf(alert).toLowerCase()}`);
      for (const part of ['Users', 'Look', 'Do', 'Never']) assert.ok(section.text.includes(`\n- **${part}:** `), `${part} of ${alert}`);
    }
    const names = new Set(alerts.map(({ alert }) => sectionOf(alert)));
    assert.deepEqual(
      [...sections.keys()].filter((name) => !names.has(name)),
      [],
    );
  });

  it('alerts read only metrics and labels that exist, as recording rules do', () => {
    const known = knownMetrics();
    for (const { alert, record, expr } of allRules()) {
      const read = metricsIn(expr);
      assert.ok(read.length > 0, expr);
      assert.deepEqual(
        read.filter((name) => !known.has(name)),
        [],
        alert ?? record,
      );
      assert.deepEqual(
        labelsIn(expr).filter((name) => !knownLabels.has(name)),
        [],
        alert ?? record,
      );
    }
  });

  it('the check of alerts notices a metric that does not exist', () => {
    const [unknown] = metricsIn('sum by (account) (rate(tidings_nothing_total{outcome="x"}[5m])) > 14.4 * 0.01 and up offset 5m');
    assert.equal(unknown, 'tidings_nothing_total');
    assert.deepEqual(labelsIn('sum by (account, le) (x{outcome=~"a|b", status!="c"})'), ['outcome', 'status', 'account', 'le']);
  });

  it('each alert has a test of promtool', () => {
    const { tests } = parse(textOf('deploy/prometheus/tests/alerts.test.yml')) as { tests: { name: string }[] };
    const tested = new Set(tests.map(({ name }) => name));
    assert.deepEqual(
      alerts.flatMap(({ alert = '' }) => (tested.has(alert) ? [] : [alert])),
      [],
    );
  });

  it('each alert fires in a test on a real service', () => {
    const texts = faultTests.map((name) => textOf(`test/deploy/${name}`));
    const caused = new Set(texts.flatMap(alertsCaused));
    assert.deepEqual(
      alerts.flatMap(({ alert = '' }) => (caused.has(alert) ? [] : [alert])),
      [],
      'cause it in one of these tests, with the fault that it stands for',
    );
  });

  it('the rules and the configuration of Prometheus are valid for promtool', function () {
    if (!hasPrometheus) this.skip();
    const checked = promtool('check', 'rules', ...ruleFiles);
    assert.equal(checked.status, 0, checked.stderr);
    const config = promtool('check', 'config', '--syntax-only', 'deploy/prometheus/prometheus.yml');
    assert.equal(config.status, 0, config.stderr);
  });

  it('alerts fire for their faults alone in the tests of promtool', function () {
    if (!hasPrometheus) this.skip();
    const { status, stdout, stderr } = promtool('test', 'rules', join('deploy/prometheus/tests', 'alerts.test.yml'));
    assert.equal(status, 0, stdout + stderr);
  });
});

describe('the runbook', () => {
  it('the runbook names only commands that exist', () => {
    const named = [...runbook.matchAll(/\badmin ([a-z][a-z-]+)(?: ([a-z-]+))?/g)];
    assert.ok(named.length > 15);
    const known = new Set(commands.map(({ name }) => name));
    const missing = named.filter(([, first = '', second = '']) => !known.has(first) && !known.has(`${first} ${second}`));
    assert.deepEqual(
      missing.map(([text]) => text),
      [],
    );
  });

  it('the runbook has only SQL that runs', async () => {
    const statements = [...runbook.matchAll(/`(SELECT [^`]+)`/g)].map(([, sql = '']) => sql);
    assert.ok(statements.length >= 3);
    const database = await freshDatabase();
    try {
      for (const sql of statements) await rows(database.db, sql);
    } finally {
      await database.drop();
    }
  });

  it('the runbook names only alerts that exist', () => {
    const linked = [...runbook.matchAll(/\((?:[\w/.-]+\.md)?#(tidings\w+)\)/g)].map(([, name]) => name);
    const lower = new Set([...sections.keys()].map((name) => name.toLowerCase()));
    assert.ok(linked.length > 0 && linked.every((name) => lower.has(name ?? '')));
  });
});
