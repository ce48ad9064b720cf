import { type Board, quantile, rate } from './board.js';

export const webhooksBoard: Board = {
  name: 'webhooks',
  title: 'webhooks',
  panels: [
    {
      title: 'Waiting webhooks',
      about: 'Webhooks that get no attempts for now: their circuit breaker is open, or their receiver asked to wait.',
      unit: 'short',
      redFrom: 1,
      queries: [['max(tidings_webhooks{state="open"})', '']],
    },
    {
      title: 'Disabled',
      about: 'Disabled by the service after days of failures.',
      unit: 'short',
      redFrom: 1,
      queries: [['max(tidings_webhooks{state="disabled"})', '']],
    },
    {
      title: 'Overdue',
      about: 'How long the oldest delivery that no retrier makes has been overdue.',
      unit: 's',
      redFrom: 180,
      queries: [['max(tidings_webhook_deliveries_overdue_seconds)', '']],
    },
    {
      title: 'Attempts',
      about: 'First attempts and retries, by outcome. Replays, tests and attempts by hand count as retries.',
      unit: 'reqps',
      queries: [
        [rate('tidings_webhook_attempts_total', ['outcome'], 'first="true"'), '{{outcome}}'],
        [rate('tidings_webhook_attempts_total', ['outcome'], 'first="false"'), 'retry: {{outcome}}'],
      ],
    },
    {
      title: 'Failed first attempts',
      about: 'Share of first attempts that were not acknowledged.',
      unit: 'percentunit',
      queries: [
        [
          'sum(rate(tidings_webhook_attempts_total{first="true", outcome!="succeeded"}[5m])) / sum(rate(tidings_webhook_attempts_total{first="true"}[5m]))',
          'failed',
        ],
      ],
    },
    {
      title: 'Time of an attempt',
      about: 'Slow receivers show here.',
      unit: 's',
      queries: [
        [quantile(0.5, 'tidings_webhook_attempt_seconds'), 'p50'],
        [quantile(0.95, 'tidings_webhook_attempt_seconds'), 'p95'],
      ],
    },
    {
      title: 'Oldest pending delivery',
      about: 'Of failing webhooks. It grows while a receiver is down.',
      unit: 's',
      queries: [['max(tidings_webhook_oldest_pending_seconds)', 'oldest']],
    },
    {
      title: 'Webhooks by state',
      about: 'Waiting: the circuit breaker is open, or the receiver asked to wait. Disabled: by the service, after days of failures.',
      unit: 'short',
      queries: [
        ['max(tidings_webhooks{state="active"})', 'active'],
        ['max(tidings_webhooks{state="open"})', 'waiting'],
        ['max(tidings_webhooks{state="disabled"})', 'disabled'],
      ],
    },
    {
      title: 'Open streams',
      about: 'Connections that show events as they happen.',
      unit: 'short',
      queries: [['sum(tidings_streams_open)', 'streams']],
    },
  ],
};
