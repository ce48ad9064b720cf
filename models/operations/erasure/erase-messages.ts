import { type Database, inTransaction, select, selectIds } from '../../db/database.js';
import { namesRecipientInSql, withoutRecipient } from '../../rules/contacts/carrier-ids.js';
import { digestInSql } from '../../rules/contacts/erasure.js';
import { recipientKeyInSql } from '../../rules/messages/recipient.js';
import { lowestId } from '../../rules/values/id-time.js';
import { messageColumns, type MessageRow } from '../../tables/message.js';
import { emptying, saysSomething } from './empty-reports.js';
import { reportsOfMessages } from '../reports/reports-of-messages.js';

/** Why messages are erased: the id of the erasure that counts them; null: their age. */
export type Cause = string | null;

/** The number of messages in one transaction, which takes some tens of milliseconds. */
export const erasurePage = 250;

/**
 * Erases the personal data in messages that have ended: the columns that are declared `personal`, answers of carriers and endpoints, and the
 * bodies of events. Ids of carriers that name the recipient become digests. The row keeps its id, status, times and price. Skips messages that
 * others have locked, and those whose data are still needed by a delivery that is pending, or by the next step of a chain. Waits for locks of
 * what belongs to a message, such as its reports and events.
 * @param key see `erasureKey`
 * @returns the ids that are erased now
 */
export function eraseMessages(db: Database, key: Buffer, ids: readonly string[], cause: Cause): Promise<string[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return inTransaction(db, async (transaction) => {
    await select(db, lockReports, [ids], transaction);
    const ended = await selectIds(db, lockMessages, [ids], transaction);
    if (ended.length === 0) return [];
    await select(db, lockEvents, [ended], transaction);
    // Events and statuses of a message are written under its lock only, and a replay of its deliveries is claimed under locks of their events.
    // So what the next statement reads cannot change.
    const erased = await selectIds(db, erase, [ended, key], transaction);
    if (erased.length === 0) return [];
    for (const sql of [emptyEvents, emptyAnswers]) await select(db, sql, [erased], transaction);
    if (cause !== null) await select(db, count, [cause, erased.length], transaction);
    return erased;
  });
}

const reportsOf = (source: string) => `${reportsOfMessages(source)} WHERE ${saysSomething} ORDER BY d.id FOR UPDATE OF d`;

const lockReports = reportsOf('SELECT unnest($1::uuid[])');

/** SQL: the message `m` has ended. Only a late correction can still change its status. */
const hasEnded = `(m.status IN ('delivered', 'read', 'failed') OR m.status = 'sent' AND m.status_detail = 'unknown')`;

const erasable = `m.erased_at IS NULL AND ${hasEnded}
    AND NOT EXISTS (SELECT 1 FROM fallbacks f WHERE f.message_id = m.id AND f.outcome IS NULL)
    AND NOT EXISTS (SELECT 1 FROM events e JOIN deliveries d ON d.event_id = e.id WHERE e.message_id = m.id AND d.status = 'pending')`;

// Only these are locked, and then their events: while an event is locked, no answer to a resend is stored.
const lockMessages = `SELECT m.id FROM messages m WHERE m.id = ANY($1::uuid[]) AND ${erasable} ORDER BY m.id FOR UPDATE OF m SKIP LOCKED`;

/** SQL: the steps of the chain `f`, without recipients and contents. A refund of an earlier message still needs the prices. */
export const stepsWithoutRecipients = `(
  SELECT COALESCE(json_agg(json_build_object('channel', s ->> 'channel', 'after', (s ->> 'after')::integer, 'price', (s ->> 'price')::bigint)), '[]'::json)
  FROM json_array_elements(f.steps) s)`;

/** SQL: the values of personal columns of an erased message `m` that are not null. */
const replacements: { readonly [Name in keyof MessageRow]?: string } = {
  to: digestInSql('$2', recipientKeyInSql('m')),
  content: `'{}'`,
  idempotency_key: `CASE WHEN m.idempotency_key IS NOT NULL THEN ${digestInSql('$2', 'm.idempotency_key')} END`,
};

const emptied = Object.entries(messageColumns)
  .filter(([, { isPersonal }]) => isPersonal)
  .map(([name]) => `"${name}" = ${replacements[name as keyof MessageRow] ?? 'NULL'}`)
  .join(', ');

// Attempts at hand-offs are written under the lock of their message only, so they need no order. Chains and the queue are also changed without
// that lock, so they are locked in the order of their keys.
// A report that arrived after the locks and is being applied now is skipped: its transaction waits for the message, and then sees that it
// is erased.
const erase = `
  WITH erased AS (
    UPDATE messages m SET ${emptied}, provider_message_id = ${withoutRecipient('$2', 'm.provider_message_id')}, erased_at = now()
    WHERE m.id = ANY($1::uuid[]) AND ${erasable}
    RETURNING m.id
  ), attempted AS (
    UPDATE send_attempts a SET detail = NULL, provider_message_id = ${withoutRecipient('$2', 'a.provider_message_id')}
    FROM erased WHERE a.message_id = erased.id AND (a.detail IS NOT NULL OR ${namesRecipientInSql('a.provider_message_id')})
  ), chained AS (
    UPDATE fallbacks f SET steps = ${stepsWithoutRecipients}
    WHERE f.message_id IN (SELECT f.message_id FROM erased JOIN fallbacks f ON f.message_id = erased.id ORDER BY f.message_id FOR UPDATE OF f)
  ), reported AS MATERIALIZED (
    ${reportsOf('SELECT id FROM erased')} SKIP LOCKED
  ), ${emptying('reported', '$2')}, waited AS (
    DELETE FROM erasure_queue WHERE erasure_id = '${lowestId}' AND message_id IN (
      SELECT q.message_id FROM erased JOIN erasure_queue q ON q.message_id = erased.id AND q.erasure_id = '${lowestId}'
      ORDER BY q.message_id FOR UPDATE OF q)
  )
  SELECT id FROM erased`;

// The deletion of events by their age locks an event, and then the attempts to deliver it. A new delivery of an event must not wait.
const lockEvents = `SELECT id FROM events WHERE message_id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE`;
const emptyEvents = 'UPDATE events SET body = NULL WHERE message_id = ANY($1::uuid[]) AND body IS NOT NULL';
const emptyAnswers = `
  UPDATE delivery_attempts SET response_body = NULL, response_headers = NULL
  WHERE (delivery_id, number) IN (
    SELECT a.delivery_id, a.number FROM events e JOIN deliveries d ON d.event_id = e.id JOIN delivery_attempts a ON a.delivery_id = d.id
    WHERE e.message_id = ANY($1::uuid[]) AND (a.response_body IS NOT NULL OR a.response_headers IS NOT NULL)
    ORDER BY a.delivery_id, a.number FOR UPDATE OF a)`;

const count = 'UPDATE erasures SET messages = messages + $2 WHERE id = $1';
