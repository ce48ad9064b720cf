/** What only the database knows. */
import { gauge } from './declare.js';

/** Read from the database, once in a while for the whole service: the same in every API process, so take the maximum and not the sum. */
export const serviceGauges = {
  readAge: gauge('tidings_service_read_age_seconds', 'Age of the values that were read from the database', { from: 'api' }),
  openMessages: gauge(
    'tidings_messages_open',
    'Open messages by status and reason, counted in the 2,000 groups that are due next for the watcher and up to 20,000 messages',
    {
      from: 'api',
      labels: ['status', 'reason'],
    },
  ),
  openComplete: gauge(
    'tidings_messages_open_complete',
    '1: these groups are all open groups, so that the counts are exact; 0: there are more',
    {
      from: 'api',
    },
  ),
  oldestMessage: gauge(
    'tidings_messages_open_oldest_seconds',
    'Age of the oldest of these messages, since its acceptance or scheduled time; 0 before its time',
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
  openPages: gauge('tidings_batch_pages_open', 'Pages that are not complete, of the 100 open batches that are due next for the watcher', {
    from: 'api',
  }),
  mailsUnsent: gauge('tidings_mails_unsent', 'Account mails that wait to be sent; counted up to 1,000', { from: 'api' }),
  auditDifferences: gauge('tidings_audit_differences', 'Differences that the last audit of the ledger found; must be 0', { from: 'api' }),
  auditAge: gauge('tidings_audit_age_seconds', 'Time since the last audit of the ledger began', { from: 'api' }),
};
