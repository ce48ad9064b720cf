/** What the processes count and measure themselves. */
import { counter, gauge, histogram } from './declare.js';
import { poolUsage } from './pools.js';

const acceptSeconds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Fewer, because each bucket is a series for each of more than eighty operations. */
const operationSeconds = [0.05, 0.25, 1, 5];
const callSeconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const pageSeconds = [0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600];
/** To 72 hours, which is how long a report is waited for. */
const wayThereSeconds = [1, 2, 5, 10, 30, 60, 300, 900, 3_600, 14_400, 43_200, 86_400, 172_800, 259_200];

/** The traffic of the API. */
export const apiMetrics = {
  requests: counter(
    'tidings_http_requests_total',
    'HTTP requests, by the class of their status. aborted: the connection ended before the response began',
    {
      from: 'api',
      labels: ['operation', 'status_class'],
    },
  ),
  requestSeconds: histogram('tidings_http_request_seconds', 'Time from the head of a request to the end of its response', {
    from: 'api',
    labels: ['operation'],
    buckets: operationSeconds,
  }),
  rateLimited: counter(
    'tidings_rate_limited_total',
    'Requests refused with 429, by the class of the limit. login: the pause after wrong passwords; mail: too many mails about a new e-mail address',
    { from: 'api', labels: ['limit'] },
  ),
  limitStoreUp: gauge(
    'tidings_rate_limit_store_up',
    '1: Redis counts the requests of all API processes, or REDIS_URL is not set. 0: this process counts by itself',
    { from: 'api' },
  ),
  shed: counter('tidings_shed_total', 'Requests refused with 503 because the service was overloaded or a part of it was missing', {
    from: 'api',
    labels: ['operation'],
  }),
  accepts: counter(
    'tidings_accepts_total',
    'Valid single sends; no bulk sends. refused: no credits, or the daily limit; repeated: got the message of an earlier request with the same idempotency key; failed: an error of the service; shed: waited too long at the accept gate. Requests that got no place in it are only in tidings_shed_total',
    { from: 'api', labels: ['channel', 'outcome'] },
  ),
  acceptSeconds: histogram('tidings_accept_seconds', 'Time from the accept gate to the decision on a single send', {
    from: 'api',
    labels: ['channel'],
    buckets: acceptSeconds,
  }),
  groupSize: histogram('tidings_accept_group_messages', 'Single sends that share a workflow', {
    from: 'api',
    buckets: [1, 2, 5, 10, 25, 50, 100],
  }),
  streams: gauge('tidings_streams_open', 'Open streams of events of this process', { from: 'api' }),
  reports: counter(
    'tidings_reports_total',
    'Delivery reports that carriers sent, repeated ones included. One that says only that the carrier has the message does not count',
    {
      from: 'api',
      labels: ['account', 'status'],
    },
  ),
  reportsUnmatched: counter('tidings_reports_unmatched_total', 'Delivery reports that matched no message when they arrived', {
    from: 'api',
  }),
  certificateEnd: gauge(
    'tidings_certificate_expiry_timestamp_seconds',
    'When the certificate of PUBLIC_URL or CALLBACK_URL expires, as this process sees it; checked once an hour',
    { from: 'api', labels: ['address'] },
  ),
};

/** The work of the workers. */
export const workMetrics = {
  handoffs: counter(
    'tidings_handoffs_total',
    'Calls to carriers, and messages given up without a call. handoff_unknown: refunded, because it is unknown whether an earlier call reached the carrier',
    { from: 'worker', labels: ['channel', 'account', 'outcome'] },
  ),
  handoffSeconds: histogram('tidings_handoff_seconds', 'Time of a call to a carrier', {
    from: 'worker',
    labels: ['channel', 'account'],
    buckets: callSeconds,
  }),
  sentSeconds: histogram(
    'tidings_message_handed_off_seconds',
    'Time from acceptance, or from the scheduled time, to the hand-off. Of single messages',
    {
      from: 'worker',
      labels: ['channel'],
      buckets: wayThereSeconds,
    },
  ),
  deliveredSeconds: histogram('tidings_message_delivered_seconds', 'Time from acceptance, or from the scheduled time, to the delivery', {
    from: 'both',
    labels: ['channel'],
    buckets: wayThereSeconds,
  }),
  statuses: counter('tidings_message_statuses_total', 'Statuses that messages reached', { from: 'both', labels: ['channel', 'status'] }),
  webhookAttempts: counter(
    'tidings_webhook_attempts_total',
    'Attempts to deliver an event; first: the first attempt of a retry schedule, but not one of a replay, of a test or by hand',
    { from: 'worker', labels: ['first', 'outcome'] },
  ),
  webhookSeconds: histogram('tidings_webhook_attempt_seconds', 'Time of an attempt to deliver an event', {
    from: 'worker',
    labels: ['first'],
    buckets: callSeconds,
  }),
  pageSeconds: histogram(
    'tidings_batch_page_seconds',
    'Time from the start of a page of a batch, or from its scheduled time, until none of its messages waited for a hand-off. Not of pages whose last message was proved by a report or given up',
    { from: 'worker', buckets: pageSeconds },
  ),
  reportWaits: counter(
    'tidings_report_waits_total',
    'Messages whose wait for a delivery report has ended. reported: with a report; missing: none arrived in time',
    { from: 'both', labels: ['channel', 'outcome'] },
  ),
  repairs: counter('tidings_watcher_repairs_total', 'Overdue work that the watcher started again, gave up, closed or fenced', {
    from: 'worker',
    labels: ['what'],
  }),
  ledgerDrift: gauge('tidings_ledger_drift_workspaces', 'Workspaces whose balance differs from their ledger; must be 0', {
    from: 'worker',
  }),
  ledgerCheckedAt: gauge('tidings_ledger_check_timestamp_seconds', 'When this worker last compared balances with ledgers', {
    from: 'worker',
  }),
};

/** Of every process. */
export const processMetrics = {
  poolWaitSeconds: histogram(
    'tidings_database_pool_wait_seconds',
    'Time that a statement or transaction waited for a connection of the pool, whether it got one or not',
    { from: 'both', buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5] },
  ),
  databaseErrors: counter(
    'tidings_database_errors_total',
    'Statements that failed. kind: deadlock, lock_timeout, statement_timeout, connection (broken or refused), pool_timeout (none was free), other',
    { from: 'both', labels: ['kind'] },
  ),
  statementSeconds: histogram('tidings_database_statement_seconds', 'Time of a statement, without the wait for its connection', {
    from: 'both',
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 30],
  }),
  connections: gauge('tidings_database_connections', 'Connections to PostgreSQL. state: used, idle', {
    from: 'both',
    labels: ['state'],
    aggregator: 'sum',
    collect: (connections) => {
      const { used, idle } = poolUsage();
      connections.set({ state: 'used' }, used);
      connections.set({ state: 'idle' }, idle);
    },
  }),
  connectionsMax: gauge('tidings_database_connections_max', 'Connections to PostgreSQL that the pools of the process may open', {
    from: 'both',
    aggregator: 'sum',
    collect: (max) => max.set(poolUsage().max),
  }),
  poolWaiting: gauge('tidings_database_pool_waiting', 'Statements that wait for a connection now', {
    from: 'both',
    aggregator: 'sum',
    collect: (waiting) => waiting.set(poolUsage().waiting),
  }),
  clockOffset: gauge('tidings_clock_offset_seconds', 'Clock of this process minus the clock of PostgreSQL', { from: 'both' }),
  diskFree: gauge('tidings_data_dir_free_bytes', 'Free space on the disk of DATA_DIR', { from: 'both' }),
  diskSize: gauge('tidings_data_dir_size_bytes', 'Size of the disk of DATA_DIR', { from: 'both' }),
};
