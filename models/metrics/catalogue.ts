/**
 * Every metric, declared once: name, help, labels, buckets. `npm run settings` writes docs/metrics.md from it. Names have base units. No label
 * has a value for each workspace, key, webhook, recipient or message: the number of series does not grow with the users.
 */
import { counter, gauge, histogram } from './declare.js';

export { declared } from './declare.js';

const requestSeconds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const callSeconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** To 72 hours, which is how long a report is waited for. */
const wayThereSeconds = [1, 2, 5, 10, 30, 60, 300, 900, 3_600, 14_400, 43_200, 86_400, 172_800, 259_200];

/** The traffic of the API. */
export const apiMetrics = {
  requests: counter('tidings_http_requests_total', 'HTTP requests that were answered or aborted', {
    from: 'api',
    labels: ['operation', 'status_class'],
  }),
  requestSeconds: histogram('tidings_http_request_seconds', 'Time from the head of a request to the end of its answer', {
    from: 'api',
    labels: ['operation'],
    buckets: requestSeconds,
  }),
  rateLimited: counter('tidings_rate_limited_total', 'Requests refused with 429, by the class of the limit', {
    from: 'api',
    labels: ['limit'],
  }),
  shed: counter('tidings_shed_total', 'Requests refused with 503 because the service was overloaded or a part of it was missing', {
    from: 'api',
    labels: ['operation'],
  }),
  accepts: counter(
    'tidings_accepts_total',
    'Single sends that reached the accept gate. refused: no credits; shed: overloaded; repeated: the idempotency key was known; failed: a fault of ours',
    { from: 'api', labels: ['channel', 'outcome'] },
  ),
  acceptSeconds: histogram('tidings_accept_seconds', 'Time from the accept gate to the decision on a single send', {
    from: 'api',
    labels: ['channel'],
    buckets: requestSeconds,
  }),
  groupSize: histogram('tidings_accept_group_messages', 'Single sends that share a workflow', {
    from: 'api',
    buckets: [1, 2, 5, 10, 25, 50, 100],
  }),
  streams: gauge('tidings_streams_open', 'Open streams of events of this process', { from: 'api' }),
  reports: counter('tidings_reports_total', 'Delivery reports that were received, repeated ones included', {
    from: 'api',
    labels: ['account', 'status'],
  }),
  reportsUnmatched: counter('tidings_reports_unmatched_total', 'Delivery reports that matched no message when they arrived', {
    from: 'api',
  }),
};

/** The work of the workers. */
export const workMetrics = {
  handoffs: counter(
    'tidings_handoffs_total',
    'Calls to carriers. handoff_unknown: given up and refunded, because it is unknown whether an earlier call reached the carrier',
    { from: 'worker', labels: ['channel', 'account', 'outcome'] },
  ),
  handoffSeconds: histogram('tidings_handoff_seconds', 'Time of a call to a carrier', {
    from: 'worker',
    labels: ['channel', 'account'],
    buckets: callSeconds,
  }),
  sentSeconds: histogram('tidings_message_handed_off_seconds', 'Time from acceptance, or from the scheduled time, to the hand-off', {
    from: 'worker',
    labels: ['channel'],
    buckets: wayThereSeconds,
  }),
  deliveredSeconds: histogram('tidings_message_delivered_seconds', 'Time from acceptance, or from the scheduled time, to the delivery', {
    from: 'both',
    labels: ['channel'],
    buckets: wayThereSeconds,
  }),
  statuses: counter('tidings_message_statuses_total', 'Statuses that messages reached', { from: 'both', labels: ['channel', 'status'] }),
  webhookAttempts: counter('tidings_webhook_attempts_total', 'Attempts to deliver an event; first: the first attempt of its delivery', {
    from: 'worker',
    labels: ['first', 'outcome'],
  }),
  webhookSeconds: histogram('tidings_webhook_attempt_seconds', 'Time of an attempt to deliver an event', {
    from: 'worker',
    labels: ['first'],
    buckets: callSeconds,
  }),
  repairs: counter('tidings_watcher_repairs_total', 'Overdue work that the watcher started again', { from: 'worker', labels: ['what'] }),
  ledgerDrift: gauge('tidings_ledger_drift_workspaces', 'Workspaces whose balance differs from their ledger; must be 0', {
    from: 'worker',
  }),
  ledgerCheckedAt: gauge('tidings_ledger_check_timestamp_seconds', 'When this worker last compared balances with ledgers', {
    from: 'worker',
  }),
};

/** Of every process. */
export const processMetrics = {
  poolWaitSeconds: histogram('tidings_database_pool_wait_seconds', 'Time that a statement waited for a connection of the pool', {
    from: 'both',
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5],
  }),
  databaseErrors: counter(
    'tidings_database_errors_total',
    'Statements that failed. kind: deadlock, lock_timeout, statement_timeout, connection, other',
    { from: 'both', labels: ['kind'] },
  ),
};

/** Read from the database, once in a while for the whole service: the same in every API process, so take the maximum and not the sum. */
export const serviceGauges = {
  readAge: gauge('tidings_service_read_age_seconds', 'Age of the values that were read from the database', { from: 'api' }),
  openMessages: gauge(
    'tidings_messages_open',
    'Open messages in a sample: 20 messages of each of the 250 groups that are due next for the watcher',
    {
      from: 'api',
      labels: ['status', 'reason'],
    },
  ),
  oldestMessage: gauge(
    'tidings_messages_open_oldest_seconds',
    'Age of the oldest message of that sample, since its acceptance or scheduled time',
    {
      from: 'api',
      labels: ['status', 'reason'],
    },
  ),
  groupsOverdue: gauge('tidings_watcher_backlog_groups', 'Groups of messages that are due for the watcher; counted up to 1,000', {
    from: 'api',
  }),
  groupsOverdueAge: gauge('tidings_watcher_backlog_seconds', 'How long the oldest of these groups has been due', { from: 'api' }),
  watcherAge: gauge('tidings_watcher_age_seconds', 'Time since the last round of the watcher', { from: 'api' }),
  watcherFailing: gauge('tidings_watcher_failing_steps', 'Failed steps of the last round of the watcher', { from: 'api' }),
  workersAlive: gauge('tidings_workers_alive', 'Worker processes with a recent heartbeat', { from: 'api' }),
  workersLost: gauge('tidings_workers_lost', 'Worker processes that crashed or hung in the last ten minutes', {
    from: 'api',
  }),
  inbox: gauge('tidings_report_inbox', 'Reports that are not applied yet, or match no message; each counted up to 2,000', {
    from: 'api',
    labels: ['state'],
  }),
  inboxAge: gauge('tidings_report_inbox_oldest_seconds', 'Age of the oldest report that is not applied yet', { from: 'api' }),
  webhooks: gauge('tidings_webhooks', 'Webhooks by state. open: paused after failures; disabled: disabled by the service', {
    from: 'api',
    labels: ['state'],
  }),
  deliveriesOverdue: gauge(
    'tidings_webhook_deliveries_overdue_seconds',
    'How long the oldest delivery without a retrier has been overdue',
    {
      from: 'api',
    },
  ),
  oldestDelivery: gauge('tidings_webhook_oldest_pending_seconds', 'Age of the oldest pending delivery of 200 failing webhooks', {
    from: 'api',
  }),
  openBatches: gauge('tidings_batches_open', 'Batches that are not complete; counted up to 1,000', { from: 'api' }),
  mailsUnsent: gauge('tidings_mails_unsent', 'Account mails that wait to be sent; counted up to 1,000', { from: 'api' }),
  auditDifferences: gauge('tidings_audit_differences', 'Differences that the last audit of the ledger found; must be 0', { from: 'api' }),
  auditAge: gauge('tidings_audit_age_seconds', 'Time since the last audit of the ledger began', { from: 'api' }),
};
