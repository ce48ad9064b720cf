/** What happens when the time of a wait is over. */
import { afterCommit, type Database, inTransaction, select, selectIds, type Transaction } from '../../db/database.js';
import { workMetrics } from '../../metrics/catalogue.js';
import type { MessageGroup } from '../../tables/message-group.js';
import { closeIfDone, type OpenWork } from '../reports/close-if-done.js';
import { isReportOverdue, type Overdue, overdueBind } from '../reports/awaiting-reports.js';
import { handoffUnknown, handoffUnknownCode } from '../../rules/messages/error-codes.js';
import { announcePage } from '../batches/open-page.js';
import { recordStatuses } from '../messages/record-statuses.js';
import { bindOf, isOpenOrUnknown, mayBeCalled, type UncertainWaits } from './uncertain-handoffs.js';

/**
 * No report came in time. The messages stay `sent`, with the detail `unknown` and without an event (docs/contract/messages.md). A later
 * report still counts. Does nothing if reports arrived meanwhile: then `open` is not 0, and the caller applies them first.
 * @param overdue only these messages
 */
export function giveUpOnReports(db: Database, groupId: string, overdue: Overdue): Promise<OpenWork> {
  return inTransaction(db, async (transaction) => {
    const hasReports = await lockGroup(db, transaction, groupId);
    if (!hasReports) {
      const marked = await select<{ channel: string }>(db, markUnknown, [groupId, ...overdueBind(overdue)], transaction);
      afterCommit(transaction, () => marked.forEach(({ channel }) => workMetrics.reportWaits.inc({ channel, outcome: 'missing' })));
    }
    return closeIfDone(db, transaction, groupId);
  });
}

const markUnknown = `
  UPDATE messages SET status_detail = 'unknown' WHERE id IN (
    SELECT id FROM messages m
    WHERE group_id = $1 AND status = 'sent' AND status_detail = 'awaiting_report' AND ${isReportOverdue(2)} ORDER BY id FOR UPDATE)
  RETURNING channel`;

/** Locks the group before its messages: see `inTransaction`. @returns whether its inbox has reports that were not applied */
async function lockGroup(db: Database, transaction: Transaction, groupId: string): Promise<boolean> {
  const sql = 'SELECT reports_pending FROM message_groups WHERE id = $1 FOR UPDATE';
  const [group] = await select<Pick<MessageGroup, 'reports_pending'>>(db, sql, [groupId], transaction);
  return group?.reports_pending === true;
}

/**
 * The provider could not be reached in time. Queued messages fail and are refunded. If the answer to the last call was lost, the message
 * may have been sent. It is refunded too, and its code says so, but only after its wait for a delivery report. Until then it stays queued.
 */
export function giveUpOnHandoffs(db: Database, groupId: string, waits: UncertainWaits): Promise<OpenWork> {
  return inTransaction(db, async (transaction) => {
    const at = new Date();
    await lockGroup(db, transaction, groupId);
    await announcePage(db, transaction, groupId); // the first hand-off would have opened it, and none may have begun
    const ids = await selectIds(db, lockQueued, [groupId], transaction);
    const bind = [ids, ...bindOf({ ...waits, repeatable: [] })];
    const given = ids.length === 0 ? [] : await select<GivenUp>(db, givenUp, bind, transaction);
    const changes = given.map(({ id, account }) => ({
      id,
      at,
      status_detail: 'undeliverable' as const,
      ...(account === null ? unreachable : handoffUnknown),
    }));
    await recordStatuses(db, transaction, { to: 'failed', from: ['queued'], changes });
    afterCommit(transaction, () => given.forEach(countGivenUp));
    return closeIfDone(db, transaction, groupId);
  });
}

/** Counts a message that was given up without a further call, if an earlier call may have reached an account. */
function countGivenUp({ channel, account }: GivenUp): void {
  if (account !== null) workMetrics.handoffs.inc({ channel, account, outcome: handoffUnknownCode });
}

const unreachable = { error_code: 'provider_unavailable', error_message: 'The carrier could not be reached in time' };

const lockQueued = `SELECT id FROM messages WHERE group_id = $1 AND status = 'queued' ORDER BY id FOR UPDATE`;

interface GivenUp {
  id: string;
  channel: string;
  /** The account that may have the message; null: certainly none has. */
  account: string | null;
}

// A separate statement after the locks: a statement that waited for a lock still sees the attempts as they were before.
const givenUp = `
  SELECT m.id, m.channel, (
    SELECT u.provider FROM send_attempts u WHERE u.message_id = m.id AND ${isOpenOrUnknown('u')} ORDER BY u.number DESC LIMIT 1
  ) AS account
  FROM messages m WHERE m.id = ANY($1::uuid[]) AND ${mayBeCalled(2)}`;
