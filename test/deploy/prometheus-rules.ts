/** The rules for Prometheus in deploy/prometheus, and what an expression reads. */
import { spawnSync } from 'node:child_process';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { parse } from 'yaml';
import { declared } from '../../models/metrics/catalogue.js';
import { textOf } from './project.js';

export interface Rule {
  alert?: string;
  record?: string;
  expr: string;
  for?: string;
  labels?: { severity: string };
  annotations?: { summary: string; runbook_url: string };
}

export const ruleFiles = ['slo', 'alerts'].map((name) => `deploy/prometheus/${name}.rules.yml`);

/** The rules of a text of rules. */
const rulesIn = (text: string): Rule[] => (parse(text) as { groups: { rules: Rule[] }[] }).groups.flatMap(({ rules }) => rules);

export const allRules = (): Rule[] => ruleFiles.flatMap((path) => rulesIn(textOf(path)));

/** `promtool` and `prometheus` are in Debian's package `prometheus`, which `.ci/run` installs. */
export const hasPrometheus = spawnSync('promtool', ['--version']).status === 0;

/** Of Temporal's SDK, which serves them without our declaration; `test/deploy/alerts-fire.test.ts` sees them on the page of a worker. */
export const temporalMetrics = [
  'temporal_activity_schedule_to_start_latency_seconds',
  'temporal_num_pollers',
  'temporal_request_failure_total',
  'temporal_sticky_cache_hit_total',
  'temporal_sticky_cache_miss_total',
  'temporal_sticky_cache_size',
  'temporal_worker_task_slots_available',
  'temporal_worker_task_slots_used',
  'temporal_workflow_completed_total',
  'temporal_workflow_failed_total',
  'temporal_workflow_task_execution_failed_total',
  'temporal_workflow_task_execution_latency_seconds',
  'temporal_workflow_task_schedule_to_start_latency_seconds',
] as const;

/** Every name that Prometheus can have: of our catalogue, of Node, of Temporal's SDK, of recording rules and of Prometheus itself. */
export function knownMetrics(): Set<string> {
  const node = new Registry();
  collectDefaultMetrics({ register: node });
  const histograms = declared.filter(({ kind }) => kind === 'histogram').map(({ name }) => name);
  const spread = [...histograms, ...temporalMetrics.filter((name) => name.endsWith('_seconds')), 'nodejs_gc_duration_seconds'];
  return new Set([
    'up',
    'ALERTS',
    ...declared.filter(({ kind }) => kind !== 'histogram').map(({ name }) => name),
    ...node.getMetricsAsArray().map(({ name }) => name),
    ...temporalMetrics,
    ...spread.flatMap((name) => ['bucket', 'count', 'sum'].map((part) => `${name}_${part}`)),
    ...allRules().flatMap(({ record }) => record ?? []),
  ]);
}

const keywords = new Set(['and', 'or', 'unless', 'by', 'without', 'on', 'ignoring', 'offset', 'bool', 'group_left', 'group_right']);

/** The metrics that an expression reads. */
export function metricsIn(expr: string): string[] {
  const bare = expr
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '')
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replaceAll(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ');
  const names = [...bare.matchAll(/(?<![\w:$])[a-zA-Z_:][\w:]*(?!\s*\(|[\w:])/g)].map(([name]) => name);
  return [...new Set(names.filter((name) => !keywords.has(name)))];
}

/** The labels that an expression names, in matchers and in groupings. */
export function labelsIn(expr: string): string[] {
  const matchers = [...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, inner = '']) =>
    [...inner.matchAll(/(\w+)\s*[=!]~?/g)].map(([, name = '']) => name),
  );
  const groupings = [...expr.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g)].flatMap(([, inner = '']) => inner.split(/,\s*/));
  return [...new Set([...matchers, ...groupings])].filter((name) => name !== '');
}

/** Every label that a metric of ours, Prometheus or Temporal can have. */
export const knownLabels = new Set([
  ...declared.flatMap(({ labels }) => labels),
  'le',
  'job',
  'instance',
  'alertname',
  'alertstate',
  'worker_type',
  'task_queue',
  'poller_type',
  'workflow_type',
]);
