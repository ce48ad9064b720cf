/** Records opt-outs and opt-ins: STOP, START, a complaint, the unsubscribe link in a mail. */
import type { Channel } from '../../channels.js';
import { type Database, select, type Transaction } from '../../db/database.js';
import { recipientConditions } from '../../rules/messages/recipient.js';
import { isUuid } from '../../rules/values/text.js';
import { systemOrigin } from '../../rules/audit/origin.js';
import { isByRecipientInSql, type SuppressionReason, type SuppressionSource } from '../../rules/contacts/suppression.js';
import { insertAuditEvents, originAsJson } from '../audit/record-audit-event.js';
import { isOpenOrUnknown } from '../handoff/uncertain-handoffs.js';
import { suppress } from './suppress.js';

/** A recipient asks for no more messages, or for messages again. */
export interface OptRequest {
  /** The provider account that received the request. */
  provider: string;
  channel: Channel;
  /** What the person may be called in messages and on the list, see `namesOnList`: a carrier may write the number in another way than the workspace. */
  names: readonly string[];
  source: SuppressionSource;
  /** The message that it answers, by our id or by the provider's; null if unknown. */
  message_id: string | null;
  provider_message_id: string | null;
  /** The digest that replaces that id if the message was erased. */
  erased_message_id?: string | null;
}

/** A request for no more messages. */
export interface OptOutRequest extends OptRequest {
  reason: Extract<SuppressionReason, 'opt_out' | 'complaint'>;
}

/**
 * Suppresses the recipient in the workspace of the message. If no message is named, or the named one is not ours, suppresses the recipient in
 * every workspace that has sent to it through this account: they share the sender, and neither the recipient nor the carrier can tell them apart.
 */
export async function recordOptOut(db: Database, transaction: Transaction, request: OptOutRequest): Promise<void> {
  const { reason, source, channel } = request;
  const named = await namedMessages(db, transaction, request);
  const sent = named.length > 0 ? named : await messagesTo(db, transaction, request);
  const locked = await lockMessages(
    db,
    transaction,
    sent.map(({ id }) => id),
  );
  await suppress(
    db,
    locked.map(({ id, to, workspace_id }) => ({
      workspace_id,
      channel,
      recipient: to,
      reason,
      source,
      message_id: named.length > 0 ? id : null,
    })),
    transaction,
  );
}

/**
 * Removes, in the same workspaces, the opt-outs that came through the carrier, and the entries by a refusal at hand-off: a mail carrier does not
 * say whether it refused because of an opt-out. A complaint, a reported bounce, an entry of the workspace and one by the unsubscribe link stay.
 * A message that is not ours removes nothing: another system may use the account too.
 */
export async function recordOptIn(db: Database, transaction: Transaction, request: OptRequest): Promise<void> {
  const sent = await (namesMessage(request) ? namedMessages(db, transaction, request) : messagesTo(db, transaction, request));
  const workspaceIds = sent.map(({ workspace_id }) => workspace_id);
  const entries = [request.channel, request.names, workspaceIds];
  await select(db, lock, entries, transaction);
  await select(db, remove, [...entries, originAsJson(systemOrigin(request.source))], transaction);
}

const namesMessage = ({ message_id, provider_message_id }: OptRequest): boolean => message_id !== null || provider_message_id !== null;

/** Whose message the request names; null if it names none. */
export async function ownerOfNamedMessage(
  db: Database,
  transaction: Transaction,
  request: OptRequest,
): Promise<'us' | 'another system' | null> {
  if (!namesMessage(request)) return null;
  return (await namedMessages(db, transaction, request)).length > 0 ? 'us' : 'another system';
}

async function namedMessages(db: Database, transaction: Transaction, request: OptRequest): Promise<SentMessage[]> {
  // A text that is no UUID finds nothing: a provider may echo anything.
  const messageId = request.message_id !== null && isUuid(request.message_id) ? request.message_id : null;
  const names = [request.provider_message_id, request.erased_message_id ?? null];
  return select<SentMessage>(db, byMessage, [messageId, request.provider, names, request.channel], transaction);
}

interface SentMessage {
  id: string;
  to: string;
  workspace_id: string;
}

/**
 * The recipients of these messages, which stay as they are until the end of the transaction: an erasure skips a locked message, and comes back
 * when what the transaction stores about its recipient is there. Changes of status lock their messages FOR UPDATE, so they and opt-outs wait briefly
 * for each other.
 */
export const lockMessages = (
  db: Database,
  transaction: Transaction,
  ids: readonly string[],
): Promise<(SentMessage & { channel: Channel })[]> => select(db, lockSent, [ids], transaction);

const lockSent = `SELECT id, "to", workspace_id, channel FROM messages WHERE id = ANY($1::uuid[]) ORDER BY id FOR KEY SHARE`;

/** An account may echo any id of ours, so the message must be one that was handed to it. */
const byMessage = `
  SELECT id, "to", workspace_id FROM messages m WHERE id = $1 AND channel = $4
    AND (provider = $2 OR EXISTS (SELECT 1 FROM send_attempts a WHERE a.message_id = m.id AND a.provider = $2))
  UNION SELECT id, "to", workspace_id FROM messages WHERE provider = $2 AND provider_message_id = ANY($3::text[])`;

const messagesTo = (db: Database, transaction: Transaction, request: OptRequest) =>
  select<SentMessage>(db, byRecipient, [request.names, request.channel, request.provider], transaction);

/**
 * SQL: the account has the message `m`, or may have it. The message names no account before the outcome of its hand-off is recorded, and not
 * after it was given up, when a recipient may have read it and written STOP. OFFSET 0 prevents a plan that reads all attempts.
 */
const mayHave = (account: string) => `(m.provider = ${account} OR EXISTS (
    SELECT 1 FROM send_attempts a WHERE a.message_id = m.id AND a.provider = ${account} AND (${isOpenOrUnknown('a')} OR a.outcome = 'accepted') OFFSET 0))`;

const sentTo = (condition: string) =>
  `SELECT id, "to", workspace_id FROM messages m WHERE ${condition} AND channel = $2 AND ${mayHave('$3')}`;

/** The oldest message of each workspace to the recipient. */
const byRecipient = `
  SELECT DISTINCT ON (workspace_id, "to") id, "to", workspace_id FROM (
    ${recipientConditions('ANY($1::text[])').map(sentTo).join(' UNION ALL ')}
  ) m ORDER BY workspace_id, "to", id`;

const removable = `channel = $1 AND recipient = ANY($2::text[]) AND workspace_id = ANY($3::uuid[])
  AND (reason = 'opt_out' AND source IN ('inbound', 'provider') OR reason = 'bounce' AND source = 'provider')`;

// In the order of `suppress`, which begins with the entries that recipients did not make. A DELETE may use the order of the table.
const lock = `SELECT id FROM suppressions WHERE ${removable} ORDER BY ${isByRecipientInSql('suppressions')}, workspace_id, channel, recipient FOR UPDATE`;

const remove = `
  WITH removed AS (
    DELETE FROM suppressions WHERE ${removable}
    RETURNING id, workspace_id, channel, reason, source
  ), audited AS (
    SELECT workspace_id, NULL AS actor_name, id AS target_id, NULL AS target_name,
      jsonb_build_object('channel', channel, 'reason', reason, 'source', source) AS changes
    FROM removed
  )
  ${insertAuditEvents('audited', { type: 'suppression.deleted', target: 'suppression', origin: 4 })}`;
