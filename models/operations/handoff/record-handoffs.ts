import { type Database, inTransaction, select, type Transaction } from '../../db/database.js';
import { digestOfNamingId, namesRecipientInSql } from '../../rules/contacts/carrier-ids.js';
import { only, recordset } from '../../tables/columns.js';
import { messageColumns, type StatusRow } from '../../tables/message.js';
import { sendAttemptColumns } from '../../tables/send-attempt.js';
import { handoffUnknownCode } from '../../rules/messages/error-codes.js';
import { isHardBounce, refusalReason, suppressedCode } from '../../rules/contacts/suppression.js';
import { recordStatuses, type StatusChange } from '../messages/record-statuses.js';
import { type NewSuppression, suppress } from '../contacts/suppress.js';
import { isUncertain } from './uncertain-handoffs.js';

/** The result of one call to a provider. */
export type HandoffResult = { id: string; attempt: number; provider: string } & (
  | { outcome: 'accepted'; provider_message_id: string; isUnreported?: true }
  | { outcome: 'rejected'; error_code: string; error_message: string; is_permanent?: boolean; provider_error_code?: string | undefined }
  | { outcome: 'throttled' | 'retryable' | 'unknown'; detail: string }
);

/**
 * Writes the outcomes of a round of hand-offs: accepted → sent, rejected → failed and refunded. For all others, the message stays queued for
 * another attempt. A repeated outcome, or one after a report that proved the hand-off, does not change the message. The row of its attempt always
 * gets the outcome and the present time.
 * @param key finds early reports in which an erasure replaced the provider's id by its digest, see `erasureKey`
 */
export async function recordHandoffs(db: Database, results: HandoffResult[], key: Buffer): Promise<void> {
  if (results.length === 0) return;
  await inTransaction(db, async (transaction) => {
    await select(db, closeAttempts, [JSON.stringify(results.map(attemptOf)), results.map(({ id }) => id)], transaction);
    const at = new Date();
    const accepted = results.flatMap((result) => acceptedChange(result, at));
    await recordStatuses(db, transaction, { to: 'sent', changes: accepted });
    const rejected = results.flatMap((result) => rejectedChange(result, at));
    const failed = await recordStatuses(db, transaction, { to: 'failed', from: ['queued'], changes: rejected });
    const permanent = new Set(
      results.flatMap((result) => (result.outcome === 'rejected' && result.is_permanent === true ? [result.id] : [])),
    );
    const suppressions = failed.flatMap((message) => suppressionOf(message, permanent.has(message.id)));
    await suppress(db, suppressions, transaction);
    await release(db, transaction, results);
  });
  await matchEarlyReports(db, results, key);
}

/** Giving up on a lost answer fails the message, but no carrier refused it. */
const attemptOf = (result: HandoffResult): HandoffResult =>
  result.outcome === 'rejected' && result.error_code === handoffUnknownCode
    ? { ...result, outcome: 'unknown', detail: handoffUnknownCode }
    : result;

const givenResults = {
  ...only(messageColumns, 'id', 'provider_error_code'),
  attempt: sendAttemptColumns.number,
  ...only(sendAttemptColumns, 'outcome', 'provider_message_id', 'detail'),
};

// Locks all messages of the round together, in the order of their ids, because later statements change them by outcome, some after refunds.
const closeAttempts = `
  WITH locked AS MATERIALIZED (SELECT id, erased_at IS NOT NULL AS is_erased FROM messages WHERE id = ANY($2::uuid[]) ORDER BY id FOR UPDATE)
  UPDATE send_attempts a SET outcome = r.outcome, finished_at = now(),
    -- A message that was given up on may have been erased meanwhile.
    provider_message_id = CASE WHEN NOT (is_erased AND ${namesRecipientInSql('r.provider_message_id')}) THEN r.provider_message_id END,
    detail = CASE WHEN NOT is_erased THEN COALESCE(r.detail, r.provider_error_code) END
  FROM ${recordset('$1', 'r', givenResults)}
    JOIN locked ON locked.id = r.id
  WHERE a.message_id = r.id AND a.number = r.attempt`;

function acceptedChange(result: HandoffResult, at: Date): StatusChange[] {
  if (result.outcome !== 'accepted') return [];
  const { id, provider, provider_message_id, isUnreported = false } = result;
  // If no report will ever come, there is no wait, and the group may close.
  return [{ id, status_detail: isUnreported ? 'unknown' : 'awaiting_report', at, provider, provider_message_id }];
}

function rejectedChange(result: HandoffResult, at: Date): StatusChange[] {
  if (result.outcome !== 'rejected') return [];
  const { id, provider, error_code, error_message, provider_error_code } = result;
  return [
    {
      id,
      status_detail: error_code === suppressedCode ? 'suppressed' : 'rejected',
      at,
      provider,
      error_code,
      error_message,
      provider_error_code,
    },
  ];
}

/** The recipient is on the provider's own suppression list, or the mail server has no such mailbox. */
function suppressionOf({ id, workspace_id, channel, to, error_code }: StatusRow, is_permanent: boolean): NewSuppression[] {
  const isBounce = isHardBounce({ channel, status: 'failed', error_code, is_permanent });
  if (error_code !== suppressedCode && !isBounce) return [];
  // A bounce expires. The list of a mail provider does not give the reason of an entry.
  return [{ workspace_id, channel, recipient: to, reason: refusalReason(channel), source: 'provider', message_id: id }];
}

/** Releases the claims of messages that were certainly not handed off by any call, so that they can be cancelled until the next attempt. */
async function release(db: Database, transaction: Transaction, results: HandoffResult[]): Promise<void> {
  const ids = results.filter(({ outcome }) => outcome === 'retryable' || outcome === 'throttled').map(({ id }) => id);
  if (ids.length === 0) return;
  await select(db, releaseClaims, [ids], transaction);
}

// Not if another attempt may have reached its provider: the message would be cancelled and still arrive.
const releaseClaims = `
  UPDATE messages m SET status_detail = 'accepted' WHERE m.id = ANY($1::uuid[]) AND m.status = 'queued' AND NOT ${isUncertain}`;

/**
 * Matches reports that came before the provider's id was known. A report is committed first and then looks for its message; the id is
 * committed first and then looks for reports. So one of them sees the other, whatever the order. An erasure of the recipient, also by another
 * workspace, may have renamed the report before, because the report had no message yet.
 */
async function matchEarlyReports(db: Database, results: HandoffResult[], key: Buffer): Promise<void> {
  const accepted = results.flatMap((result) =>
    result.outcome === 'accepted' ? [{ ...result, digest: digestOfNamingId(key, result.provider_message_id) }] : [],
  );
  if (accepted.length === 0) return;
  const providers = [...new Set(accepted.map(({ provider }) => provider))];
  const names = accepted.flatMap(({ provider_message_id, digest }) => [provider_message_id, ...(digest === null ? [] : [digest])]);
  await select(db, matchReports, [JSON.stringify(accepted), providers, names]);
}

const givenNames = { ...only(messageColumns, 'id', 'provider', 'provider_message_id'), digest: messageColumns.provider_message_id };

// The names are given twice, as the ids in record-statuses.ts: otherwise a plan from the time when the table was small would read all of it.
const matchReports = `
  WITH locked AS (
    SELECT d.id, r.id AS message_id FROM ${recordset('$1', 'r', givenNames)}
    JOIN delivery_reports d ON d.provider = r.provider AND d.provider_message_id IN (r.provider_message_id, r.digest)
    WHERE d.message_id IS NULL AND d.provider = ANY($2::text[]) AND d.provider_message_id = ANY($3::text[])
    ORDER BY d.id FOR UPDATE OF d
  ), matched AS (
    UPDATE delivery_reports d SET message_id = m.id, group_id = m.group_id
    FROM locked JOIN messages m ON m.id = locked.message_id WHERE d.id = locked.id RETURNING d.group_id
  )
  UPDATE message_groups g SET reports_pending = true
  FROM (SELECT id FROM message_groups WHERE id IN (SELECT group_id FROM matched) ORDER BY id FOR UPDATE) due WHERE g.id = due.id`;
