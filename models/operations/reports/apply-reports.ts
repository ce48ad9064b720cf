import { afterCommit, type Database, inTransaction, select, type Transaction } from '../../db/database.js';
import { workMetrics } from '../../metrics/catalogue.js';
import { failureOf } from '../../rules/messages/error-codes.js';
import { namesRecipient } from '../../rules/contacts/carrier-ids.js';
import { isHardBounce } from '../../rules/contacts/suppression.js';
import { isAwaitingReport, movesInto, type ReportStatus, reportOrder, type Status } from '../../rules/messages/status.js';
import { type Channel, channelTraits } from '../../channels.js';
import { column, only, recordset } from '../../tables/columns.js';
import { type DeliveryReport, deliveryReportColumns, type IgnoredReason } from '../../tables/delivery-report.js';
import type { Message, StatusRow } from '../../tables/message.js';
import { type GroupWork, countGroupWork } from '../messages/count-group-work.js';
import { recordStatuses, type StatusChange } from '../messages/record-statuses.js';
import { emptyReports } from '../erasure/empty-reports.js';
import { closeIfDone, closing } from './close-if-done.js';
import { type CarrierId, idsFromReports, nameAttempts, type NamingReport } from './name-attempts.js';
import { type NewSuppression, suppress } from '../contacts/suppress.js';

type ReportFields = 'id' | 'status' | 'error_code' | 'is_permanent' | 'provider_error_code' | 'occurred_at' | 'outcome';

interface Unapplied extends NamingReport, Pick<DeliveryReport, ReportFields>, Pick<Message, 'workspace_id' | 'channel' | 'to'> {
  message_status: Status;
  /** Its time for reports is not over. */
  is_awaited: boolean;
  /** The personal data of its message were erased. */
  is_erased: boolean;
}

interface Applying {
  /** The key of the digests that replace names of erased recipients, see `erasureKey`. */
  key: Buffer;
  /** The caller will apply reports once more without a wake-up. Until then the group is not woken. */
  looksAgain?: boolean;
}

/**
 * Applies the reports in a group's inbox by the transition table, in the order of the table and not of arrival. A report that does not move
 * its message forward is kept as `ignored`. Closes the group if nothing is open.
 */
export async function applyReports(db: Database, groupId: string, how: Applying): Promise<GroupWork> {
  const { looksAgain = false, key } = how;
  await inTransaction(db, async (transaction) => {
    await select(db, 'UPDATE message_groups SET reports_pending = $2 WHERE id = $1', [groupId, looksAgain], transaction);
    const reports = await lockReports(db, transaction, groupId, key);
    await (reports.length > 0 ? applyAndClose(db, transaction, groupId, reports) : closeIfDone(db, transaction, groupId));
  });
  // Until the commit, other transactions see the flag set and wake nobody. The reports that they have added meanwhile are found here.
  const work = await countGroupWork(db, groupId);
  return work.reports ? applyReports(db, groupId, how) : work;
}

/** If a message was erased after its report had been stored under an id that names the recipient, the report is renamed first. */
async function lockReports(db: Database, transaction: Transaction, groupId: string, key: Buffer): Promise<Unapplied[]> {
  const reports = await select<Unapplied>(db, unapplied, [groupId], transaction);
  const named = reports.filter(({ is_erased, provider_message_id }) => is_erased && namesRecipient(provider_message_id));
  if (named.length === 0) return reports;
  const ids = named.map(({ id }) => id);
  await emptyReports(db, transaction, key, ids);
  return select<Unapplied>(db, unapplied, [groupId], transaction);
}

const unapplied = `
  WITH inbox AS MATERIALIZED (
    SELECT * FROM delivery_reports WHERE group_id = $1 AND applied_at IS NULL ORDER BY id FOR UPDATE
  )
  SELECT d.id, d.message_id, m.workspace_id, m.channel, m."to", m.status AS message_status,
    m.status = 'queued' OR ${isAwaitingReport('m')} AS is_awaited,
    m.provider_message_id IS NOT NULL AS is_named, d.provider, d.provider_message_id,
    d.error_code, d.is_permanent, d.provider_error_code, d.status, d.occurred_at, d.outcome, m.erased_at IS NOT NULL AS is_erased
  FROM inbox d JOIN messages m ON m.id = d.message_id
  ORDER BY d.message_id, d.id FOR UPDATE OF m`;

async function applyAndClose(db: Database, transaction: Transaction, groupId: string, reports: Unapplied[]): Promise<void> {
  const applied = new Set<string>();
  const statusOf = new Map(reports.map(({ message_id, message_status }) => [message_id, message_status]));
  const ids = await idsFromReports(db, transaction, reports);
  for (const { id, status } of await proveHandoffs(db, transaction, reports, ids)) statusOf.set(id, status);
  for (const status of reportOrder) {
    const candidates = reports.filter((report) => report.status === status && isKnownTo(report.channel, status));
    // Only a message that was handed off can fail by a report: `queued → failed` would refund its credits.
    const from = movesInto[status].filter((source) => source !== 'queued');
    const moved =
      from.length === 0
        ? []
        : await recordStatuses(db, transaction, {
            to: status,
            from,
            changes: candidates.map((report) => changeOf(report, ids.get(report.message_id))),
          });
    for (const { id } of moved) {
      applied.add(`${id} ${status}`);
      statusOf.set(id, status);
    }
    // Before a failure that came in the same reports can count.
    if (status === 'delivered') await proveDeliveries(db, transaction, reports);
  }
  afterCommit(transaction, () => noteAnswered(reports, statusOf));
  const isApplied = ({ message_id, status }: Unapplied) => applied.has(`${message_id} ${status}`);
  const outcomes = reports.map((report) => ({
    id: report.id,
    is_erased: report.is_erased,
    ...(isApplied(report) ? { outcome: 'applied' } : { outcome: 'ignored', reason: whyIgnored(report, statusOf.get(report.message_id)) }),
  }));
  const unnamed = reports.filter((report) => !report.is_named && (!isApplied(report) || !ids.has(report.message_id)));
  await nameAttempts(db, transaction, unnamed);
  await suppress(db, reports.filter((report) => report.outcome === null && isHardBounce(report)).map(bounceOf), transaction);
  await select(db, markAndClose, [groupId, JSON.stringify(outcomes)], transaction);
}

/** Counts the messages whose wait these reports have ended; each once, with however many reports. */
function noteAnswered(reports: readonly Unapplied[], statusOf: ReadonlyMap<string, Status>): void {
  const answered = reports.filter(({ message_id, is_awaited }) => is_awaited && isFinal(statusOf.get(message_id)));
  const channels = new Map(answered.map(({ message_id, channel }) => [message_id, channel]));
  for (const channel of channels.values()) workMetrics.reportWaits.inc({ channel, outcome: 'reported' });
}

const isFinal = (status: Status | undefined) => status !== 'queued' && status !== 'sent';

const bounceOf = ({ message_id, workspace_id, channel, to }: Unapplied): NewSuppression => ({
  workspace_id,
  channel,
  recipient: to,
  reason: 'bounce',
  source: 'report',
  message_id,
});

const givenOutcomes = { ...only(deliveryReportColumns, 'id', 'outcome', 'reason'), is_erased: column.boolean() };

// One statement, because the reports and the group are locked, and the messages have their new statuses.
const markAndClose = `
  WITH marked AS (
    UPDATE delivery_reports d SET applied_at = now(), raw = CASE WHEN o.is_erased THEN '' ELSE d.raw END,
      -- A replayed report that was applied before keeps that outcome, because it moved its message then.
      outcome = CASE WHEN d.outcome = 'applied' THEN d.outcome ELSE o.outcome END, reason = CASE WHEN d.outcome = 'applied' THEN d.reason ELSE o.reason END
    FROM ${recordset('$2', 'o', givenOutcomes)} WHERE d.id = o.id
  ), ${closing('$1')}
  SELECT open FROM state`;

function whyIgnored({ channel, status }: Unapplied, current: Status | undefined): IgnoredReason {
  if (!isKnownTo(channel, status)) return 'not_on_channel';
  return status === current ? 'repeats_status' : 'backwards';
}

/** If a hand-off was never answered, a report about its message proves it. */
function proveHandoffs(
  db: Database,
  transaction: Transaction,
  reports: Unapplied[],
  ids: ReadonlyMap<string, CarrierId>,
): Promise<StatusRow[]> {
  const changes = new Map<string, StatusChange>();
  for (const { message_id, message_status, provider, provider_message_id: reported_id, occurred_at } of reports) {
    if (message_status !== 'queued') continue;
    const carrierId = ids.get(message_id);
    changes.set(message_id, { id: message_id, status_detail: 'awaiting_report', at: occurred_at, provider, reported_id, ...carrierId });
  }
  return recordStatuses(db, transaction, { to: 'sent', changes: [...changes.values()] });
}

/** If no report of the delivery came, a read receipt proves the delivery. Subscribers are notified of it once. */
function proveDeliveries(db: Database, transaction: Transaction, reports: Unapplied[]): Promise<StatusRow[]> {
  const receipts = reports.filter(({ channel, status }) => status === 'read' && isKnownTo(channel, status));
  const changes = receipts.map(({ message_id, provider_message_id, occurred_at }) => ({
    id: message_id,
    at: occurred_at,
    status_detail: 'delivered' as const,
    reported_id: provider_message_id,
  }));
  return recordStatuses(db, transaction, { to: 'delivered', from: ['sent'], changes });
}

/** @param carrierId if the answer to the hand-off was lost, a report is the first to have it */
function changeOf(report: Unapplied, carrierId?: CarrierId): StatusChange {
  const {
    message_id,
    channel,
    status,
    occurred_at,
    error_code,
    is_permanent,
    provider_error_code,
    provider_message_id: reported_id,
  } = report;
  const change = { id: message_id, at: occurred_at, reported_id, ...carrierId };
  if (status !== 'failed') return { ...change, status_detail: status === 'sent' ? 'awaiting_report' : status };
  const { code, message } = failureOf(channel, error_code, is_permanent);
  return {
    ...change,
    status_detail: 'undeliverable',
    error_code: code,
    error_message: message,
    provider_error_code: provider_error_code ?? undefined,
  };
}

const isKnownTo = (channel: Channel, status: ReportStatus) => status !== 'read' || channelTraits[channel].hasReadReceipts;
