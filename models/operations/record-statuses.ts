/** The one place where the status of a message changes. Events and deliveries are written in the same transaction. */
import { v7 as uuidv7 } from 'uuid';
import { type Database, select, type Transaction } from '../database.js';
import type { MessageRow } from '../message.js';
import { type EventType, eventBody, eventTypes } from '../rules/events.js';
import { groupBy } from '../rules/group-by.js';
import { movesInto, type PublicStatus, type Status, type StatusDetail } from '../rules/status.js';
import { credit } from './post-credits.js';

/** What becomes known of one message with its new status. */
export interface StatusChange {
  id: string;
  status_detail: StatusDetail;
  at: Date;
  provider?: string;
  provider_message_id?: string;
  provider_error_code?: string | undefined;
  error_code?: string;
  error_message?: string;
}

export interface Move {
  to: PublicStatus;
  /** Statuses that the messages may come from; all that the table allows when not given. */
  from?: readonly Status[];
  /** Further condition: only messages with one of these details. */
  details?: readonly StatusDetail[];
  changes: StatusChange[];
}

interface Subscriber {
  id: string;
  is_active: boolean;
}

type Recorded = MessageRow & { subscribers: Subscriber[] | null };

/**
 * Moves messages to a status, where their present one allows it; the others are left as they are.
 * Writes the event and its deliveries where somebody subscribes, and gives the credits back when a message fails that was
 * never handed to a provider.
 * @returns the messages that moved
 */
export async function recordStatuses(db: Database, transaction: Transaction, move: Move): Promise<MessageRow[]> {
  const { to, from = movesInto[to], details = null, changes } = move;
  if (!from.every((status) => movesInto[to].includes(status))) throw new Error(`no move into ${to} from ${from.join(', ')}`);
  if (changes.length === 0) return [];
  const type = eventTypes.find((name) => name === `message.${to}`);
  const recorded = await select<Recorded>(db, update, [to, JSON.stringify(changes), from, details, type ?? null], transaction);
  if (type !== undefined) await writeEvents(db, transaction, type, recorded);
  if (to === 'failed') await refund(db, transaction, recorded);
  return recorded;
}

const update = `
  UPDATE messages m SET
    status = $1,
    status_detail = c.status_detail,
    credits_used = CASE $1 WHEN 'queued' THEN m.cost WHEN 'failed' THEN CASE m.status WHEN 'queued' THEN 0 ELSE m.credits_used END ELSE m.credits_used END,
    provider = COALESCE(c.provider, m.provider),
    provider_message_id = COALESCE(c.provider_message_id, m.provider_message_id),
    provider_error_code = c.provider_error_code,
    error_code = c.error_code,
    error_message = c.error_message,
    sent_at = CASE WHEN $1 = 'sent' THEN c.at ELSE m.sent_at END,
    delivered_at = CASE WHEN $1 = 'delivered' OR $1 = 'read' AND m.delivered_at IS NULL THEN c.at ELSE m.delivered_at END,
    failed_at = CASE $1 WHEN 'failed' THEN c.at WHEN 'delivered' THEN NULL ELSE m.failed_at END,
    read_at = CASE WHEN $1 = 'read' THEN c.at ELSE m.read_at END
  FROM json_to_recordset($2::json) AS c (id uuid, status_detail text, at timestamptz, provider text, provider_message_id text,
                                         provider_error_code text, error_code text, error_message text)
  WHERE m.id = c.id AND m.status = ANY($3::text[]) AND ($4::text[] IS NULL OR m.status_detail = ANY($4::text[]))
  RETURNING m.*, (
    SELECT json_agg(json_build_object('id', w.id, 'is_active', w.is_active)) FROM webhooks w
    WHERE w.workspace_id = m.workspace_id AND w.deleted_at IS NULL AND $5::text = ANY(w.events)
  ) AS subscribers`;

/** An event row only where somebody subscribes; a paused webhook's deliveries are held. */
async function writeEvents(db: Database, transaction: Transaction, type: EventType, recorded: Recorded[]): Promise<void> {
  const at = new Date();
  const events = recorded.flatMap((message) =>
    message.subscribers === null ? [] : [{ id: uuidv7(), message, body: eventBody(type, message, at), subscribers: message.subscribers }],
  );
  if (events.length === 0) return;
  const deliveries = events.flatMap(({ id, message, subscribers }) =>
    subscribers.map((subscriber) => ({
      id: uuidv7(),
      webhook_id: subscriber.id,
      event_id: id,
      message_id: message.id,
      group_id: message.group_id,
      status: subscriber.is_active ? 'pending' : 'held',
      next_attempt_at: subscriber.is_active ? at : null,
    })),
  );
  const eventRows = events.map(({ id, message, body }) => ({ id, workspace_id: message.workspace_id, message_id: message.id, body }));
  await select(db, insertEvents, [type, JSON.stringify(eventRows), JSON.stringify(deliveries)], transaction);
}

const insertEvents = `
  WITH stored AS (
    INSERT INTO events (id, workspace_id, message_id, type, body)
    SELECT id, workspace_id, message_id, $1, body
    FROM json_to_recordset($2::json) AS e (id uuid, workspace_id uuid, message_id uuid, body text)
  )
  INSERT INTO deliveries (id, webhook_id, event_id, event, message_id, group_id, status, next_attempt_at)
  SELECT id, webhook_id, event_id, $1, message_id, group_id, status, next_attempt_at
  FROM json_to_recordset($3::json) AS d (id uuid, webhook_id uuid, event_id uuid, message_id uuid, group_id uuid, status text,
                                         next_attempt_at timestamptz)`;

/** A failure before hand-off costs nothing: `credits_used` is 0 then, and the entry's reference makes it happen once. */
async function refund(db: Database, transaction: Transaction, failed: Recorded[]): Promise<void> {
  const refunded = failed.filter(({ credits_used }) => credits_used === 0);
  for (const [workspaceId, rows] of groupBy(refunded, ({ workspace_id }) => workspace_id)) {
    const postings = rows.map(({ id, cost, channel, error_code }) => ({
      reference: id,
      amount: cost,
      description: `Refund: ${channel} message ${error_code ?? 'failed'}`,
    }));
    await credit(db, transaction, workspaceId, 'refund', postings);
  }
}
