/** What only the database knows, read once in a while for the whole service: the same in every API process, so take the maximum and not the sum. */
import type { Gauge } from 'prom-client';
import { gauge } from './declare.js';

/** What one reading found (`readServiceGauges`); null if there is nothing of the kind. */
export interface GaugeReading {
  /** The messages of `open_messages` are all open ones. */
  open_complete: boolean;
  open_messages: { status: string; reason: string; count: number; seconds: number }[];
  unsent_seconds: number | null;
  groups_overdue: number;
  groups_overdue_seconds: number | null;
  inbox_waiting: number;
  inbox_unmatched: number;
  inbox_seconds: number | null;
  webhooks_active: number;
  webhooks_open: number;
  webhooks_disabled: number;
  deliveries_overdue_seconds: number | null;
  oldest_delivery_seconds: number | null;
  batches_open: number;
  pages_open: number;
  mails_unsent: number;
  audit_differences: number | null;
  audit_seconds: number | null;
}

const shows: ((found: GaugeReading) => void)[] = [];

/** A gauge with its value in a reading. It has none if that is null, or if a process of another version took the reading. */
function gaugeOf(name: string, help: string, valueOf: (found: GaugeReading) => number | null | undefined): Gauge {
  const made = gauge(name, help, { from: 'api' });
  shows.push((reading) => {
    const value = valueOf(reading);
    if (typeof value === 'number') made.set(value);
  });
  return made;
}

/** A gauge with a value for each of several labels. */
function gaugeOfEach<Label extends string>(
  name: string,
  help: string,
  labels: readonly Label[],
  valuesOf: (found: GaugeReading) => readonly (readonly [Record<Label, string>, number])[],
): Gauge<Label> {
  const made = gauge(name, help, { from: 'api', labels });
  shows.push((reading) => {
    for (const [each, value] of valuesOf(reading)) made.set(each, value);
  });
  return made;
}

/** The gauges of the whole service. A gauge without a value in a reading is set where its value becomes known. */
export const serviceGauges = {
  readAge: gauge('tidings_service_read_age_seconds', 'Age of the values that were read from the database', { from: 'api' }),
  openMessages: gaugeOfEach(
    'tidings_messages_open',
    'Open messages by status and reason, counted in the 2,000 groups that are due next for the watcher and up to 20,000 messages',
    ['status', 'reason'],
    ({ open_messages }) => open_messages.map(({ status, reason, count }) => [{ status, reason }, count]),
  ),
  openComplete: gaugeOf(
    'tidings_messages_open_complete',
    '1: these groups are all open groups, so that the counts are exact; 0: there are more',
    ({ open_complete }) => Number(open_complete),
  ),
  oldestMessage: gaugeOfEach(
    'tidings_messages_open_oldest_seconds',
    'Age of the oldest of these messages, since its acceptance or scheduled time; 0 before its time',
    ['status', 'reason'],
    ({ open_messages }) => open_messages.map(({ status, reason, seconds }) => [{ status, reason }, seconds]),
  ),
  oldestUnsent: gaugeOf(
    'tidings_messages_unsent_oldest_seconds',
    'Time since the oldest queued single message was due; seen among the groups that are due first',
    ({ unsent_seconds }) => unsent_seconds ?? 0,
  ),
  groupsOverdue: gaugeOf(
    'tidings_watcher_backlog_groups',
    'Groups of messages that are due for the watcher; counted up to 1,000',
    ({ groups_overdue }) => groups_overdue,
  ),
  groupsOverdueAge: gaugeOf(
    'tidings_watcher_backlog_seconds',
    'How long the oldest of these groups has been due',
    ({ groups_overdue_seconds }) => groups_overdue_seconds ?? 0,
  ),
  watcherAge: gauge(
    'tidings_watcher_age_seconds',
    'Time since the last run of the watcher; before its first run, since the start of the process',
    { from: 'api' },
  ),
  watcherFailing: gauge('tidings_watcher_failing_steps', 'Failed steps of the last run of the watcher', { from: 'api' }),
  workersAlive: gauge('tidings_workers_alive', 'Worker processes with a recent heartbeat', { from: 'api' }),
  workersLost: gauge(
    'tidings_workers_lost',
    'Worker processes that crashed, hung, lost PostgreSQL or were refused by Temporal in the last ten minutes',
    { from: 'api' },
  ),
  inbox: gaugeOfEach(
    'tidings_report_inbox',
    'Reports that are not applied yet, or match no message; each counted up to 2,000',
    ['state'],
    ({ inbox_waiting, inbox_unmatched }) => [
      [{ state: 'waiting' }, inbox_waiting],
      [{ state: 'unmatched' }, inbox_unmatched],
    ],
  ),
  inboxAge: gaugeOf(
    'tidings_report_inbox_oldest_seconds',
    'Age of the oldest report that is not applied yet',
    ({ inbox_seconds }) => inbox_seconds ?? 0,
  ),
  webhooks: gaugeOfEach(
    'tidings_webhooks',
    'Webhooks by state. active: gets attempts; open: waits, because its circuit breaker is open or its receiver asked to wait; disabled: by the service',
    ['state'],
    ({ webhooks_active, webhooks_open, webhooks_disabled }) => [
      [{ state: 'active' }, webhooks_active],
      [{ state: 'open' }, webhooks_open],
      [{ state: 'disabled' }, webhooks_disabled],
    ],
  ),
  deliveriesOverdue: gaugeOf(
    'tidings_webhook_deliveries_overdue_seconds',
    'How long the oldest delivery without a retrier has been overdue',
    ({ deliveries_overdue_seconds }) => deliveries_overdue_seconds ?? 0,
  ),
  oldestDelivery: gaugeOf(
    'tidings_webhook_oldest_pending_seconds',
    'Age of the oldest pending delivery of 200 failing webhooks',
    ({ oldest_delivery_seconds }) => oldest_delivery_seconds ?? 0,
  ),
  openBatches: gaugeOf('tidings_batches_open', 'Batches that are not complete; counted up to 1,000', ({ batches_open }) => batches_open),
  openPages: gaugeOf(
    'tidings_batch_pages_open',
    'Pages that are not complete, of the 100 open batches that are due next for the watcher',
    ({ pages_open }) => pages_open,
  ),
  mailsUnsent: gaugeOf(
    'tidings_mails_unsent',
    'Account mails that wait to be sent; counted up to 1,000',
    ({ mails_unsent }) => mails_unsent,
  ),
  auditDifferences: gaugeOf(
    'tidings_audit_differences',
    'Differences that the last audit of the ledger found; must be 0',
    ({ audit_differences }) => audit_differences,
  ),
  auditAge: gaugeOf('tidings_audit_age_seconds', 'Time since the last audit of the ledger began', ({ audit_seconds }) => audit_seconds),
};

/** Sets the gauges that have a value in a reading. */
export const showReading = (reading: GaugeReading): void => shows.forEach((show) => show(reading));

/** Removes the values of the gauges: while the database cannot be read, they are not 0 but unknown. */
export function clearServiceGauges(): void {
  for (const each of Object.values(serviceGauges) as Gauge[]) {
    each.reset();
    each.remove({}); // a gauge without labels is reset to 0
  }
}
