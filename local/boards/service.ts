import { type Board, eventsIn, quantile, rate } from './board.js';
import { processPanels } from './process-panels.js';

export const serviceBoard: Board = {
  name: 'service',
  title: 'service',
  panels: [
    {
      title: 'Workers alive',
      about: 'Worker processes with a heartbeat.',
      unit: 'short',
      redBelow: 1,
      queries: [['max(tidings_workers_alive)', '']],
    },
    {
      title: 'Workers lost',
      about: 'Crashed, hung, lost PostgreSQL or were refused by Temporal in the last ten minutes.',
      unit: 'short',
      redFrom: 1,
      queries: [['max(tidings_workers_lost)', '']],
    },
    {
      title: 'Ledger drift',
      about: 'Workspaces whose balance is wrong. Must be 0.',
      unit: 'short',
      redFrom: 1,
      queries: [['tidings:ledger_drift:max', '']],
    },
    {
      title: 'Last watcher run',
      about: 'Time since its last run; usually below 60 s.',
      unit: 's',
      redFrom: 180,
      queries: [['max(tidings_watcher_age_seconds)', '']],
    },
    {
      title: 'Oldest overdue group',
      about: 'How long the oldest group of messages has waited for the watcher.',
      unit: 's',
      redFrom: 300,
      queries: [['max(tidings_watcher_backlog_seconds)', '']],
    },
    {
      title: 'Alerts',
      about: 'Alerts that fire now.',
      unit: 'short',
      redFrom: 1,
      queries: [['count(ALERTS{alertname=~"Tidings.+", alertstate="firing"}) or vector(0)', '']],
    },
    {
      title: 'Firing alerts',
      about: 'Each alert while it fires. The page of its runbook_url says what to do.',
      unit: 'short',
      inRows: true,
      queries: [
        [
          'count by (alertname, account, instance, operation, kind, address) (ALERTS{alertname=~"Tidings.+", alertstate="firing"}) or on () label_replace(vector(0), "alertname", "none", "", "")',
          '{{alertname}} {{account}} {{instance}} {{operation}} {{kind}} {{address}}',
        ],
      ],
    },
    {
      title: 'Watcher',
      about: 'Overdue groups, and what the watcher started again in five minutes.',
      unit: 'short',
      queries: [
        ['max(tidings_watcher_backlog_groups)', 'overdue groups'],
        [eventsIn('5m', 'tidings_watcher_repairs_total', ['what']), 'repaired {{what}}'],
      ],
    },
    {
      title: 'Sends',
      about: 'Single sends by outcome. 503: requests that were refused, without sends by MCP. Waited too long, failed and 503 should be 0.',
      unit: 'mps',
      queries: [
        [rate('tidings_accepts_total', ['outcome'], 'outcome!="shed"'), '{{outcome}}'],
        [rate('tidings_accepts_total', ['channel'], 'outcome="shed"'), 'waited too long: {{channel}}'],
        ['sum(rate(tidings_shed_total{operation="POST /api/v1/messages/send"}[5m]))', '503'],
      ],
    },
    {
      title: 'Time to accept',
      about: 'Objective: 99 % within a second.',
      unit: 's',
      queries: [
        [quantile(0.5, 'tidings_accept_seconds'), 'p50'],
        [quantile(0.95, 'tidings_accept_seconds'), 'p95'],
        ['tidings:accept_seconds:p99_rate5m', 'p99'],
      ],
    },
    {
      title: 'Bad events by objective',
      about: 'Share over one hour; for reports, over six hours. Budgets: accept and hand-off 1 %, failed sends 0.1 %.',
      unit: 'percentunit',
      queries: [
        ['tidings:accept_slow:ratio_rate1h', 'accepted late'],
        ['max(tidings:send_failed:ratio_rate1h > 0) or vector(0)', 'failed'],
        ['tidings:hand_off_slow:ratio_rate1h', 'handed off late'],
        ['max(tidings:reports_missing:ratio_rate6h > 0) or vector(0)', 'without report'],
      ],
    },
    {
      title: 'Statuses reached',
      about: 'Messages per second, by status.',
      unit: 'mps',
      queries: [[rate('tidings_message_statuses_total', ['status']), '{{status}}']],
    },
    {
      title: 'Open messages',
      about: 'Messages that have not ended, by reason. Exact while the metric tidings_messages_open_complete is 1.',
      unit: 'short',
      queries: [['max by (status, reason) (tidings_messages_open)', '{{status}}: {{reason}}']],
    },
    {
      title: 'Oldest open message',
      about: 'Since its acceptance or scheduled time, by reason.',
      unit: 's',
      queries: [['max by (status, reason) (tidings_messages_open_oldest_seconds)', '{{status}}: {{reason}}']],
    },
    {
      title: 'Requests by status',
      about: 'All requests of the API. 5xx should be 0. aborted: the client left before a response.',
      unit: 'reqps',
      queries: [[rate('tidings_http_requests_total', ['status_class']), '{{status_class}}']],
    },
    {
      title: 'Slowest operations',
      about: 'p95 of the ten slowest operations.',
      unit: 's',
      queries: [[`topk(10, ${quantile(0.95, 'tidings_http_request_seconds', ['operation'])})`, '{{operation}}']],
    },
    {
      title: 'Refused requests',
      about: '429 by limit, 503 by operation.',
      unit: 'reqps',
      queries: [
        [rate('tidings_rate_limited_total', ['limit']), '429 {{limit}}'],
        [rate('tidings_shed_total', ['operation']), '503 {{operation}}'],
      ],
    },
    {
      title: 'Batches',
      about: 'Open batches and their open pages.',
      unit: 'short',
      queries: [
        ['max(tidings_batches_open)', 'batches'],
        ['max(tidings_batch_pages_open)', 'pages'],
      ],
    },
    {
      title: 'Time of a batch page',
      about: 'From its start or scheduled time until none of its messages is queued. A rate, pauses and earlier pages make it longer.',
      unit: 's',
      queries: [
        [quantile(0.5, 'tidings_batch_page_seconds'), 'p50'],
        [quantile(0.95, 'tidings_batch_page_seconds'), 'p95'],
      ],
    },
    {
      title: 'Busiest operations',
      about: 'Requests per second of the five busiest operations, including refused requests.',
      unit: 'reqps',
      queries: [['topk(5, sum by (operation) (rate(tidings_http_requests_total[5m])))', '{{operation}}']],
    },
    ...processPanels,
  ],
};
