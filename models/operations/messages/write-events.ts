import { makeId } from '../../rules/values/make-id.js';
import { type Database, select, type Transaction } from '../../db/database.js';
import type { StatusRow } from '../../tables/message.js';
import { eventBody, type MessageEventType } from '../../rules/webhooks/events.js';

interface Subscriber {
  id: string;
  is_active: boolean;
  ordered: boolean;
  revision: number;
  /** Its circuit breaker is open, and its retrier looks again when the pause ends. New deliveries are left to that retrier. */
  is_resting: boolean;
}

/** A message with the webhooks that subscribe to its event; null if there are none. */
export type Subscribed = StatusRow & {
  subscribers: Subscriber[] | null;
  /** The workspace has an open stream of events, or had one in the last hour. */
  is_streamed: boolean;
  /** When the status was recorded, by the database's clock and under the lock of the message: later for each further status. */
  recorded_at: Date;
};

/** A pause that ends sooner may be over before the transaction commits. The retrier would then not see the delivery in time. */
const restSecondsMin = 2;

/** SQL: the events of the workspace of this row are written for streams. The table has a row for each workspace that ever had a stream. */
export const isStreamed = (row: string) =>
  `EXISTS (SELECT 1 FROM streamed_workspaces s WHERE s.workspace_id = ${row}.workspace_id AND s.until > now())`;

/**
 * SQL: the messages that a statement returns, each with the subscribers to the event type in this parameter. A page has hundreds of messages
 * of one workspace, so the webhooks of a workspace are read once.
 */
export const subscribed = (messages: string, parameter: string) => `
  WITH m AS (${messages}), told AS MATERIALIZED (
    SELECT w.workspace_id, json_agg(json_build_object('id', w.id, 'is_active', w.is_active, 'ordered', w.ordered, 'revision', w.revision,
      'is_resting', COALESCE(w.resume_at > now() + ${restSecondsMin} * interval '1 second' AND w.carrier_looks_at IS NOT NULL, false))) AS subscribers
    FROM webhooks w
    WHERE w.workspace_id IN (SELECT workspace_id FROM m) AND w.deleted_at IS NULL AND ${parameter}::text = ANY(w.events)
    GROUP BY w.workspace_id
  )
  SELECT m.*, told.subscribers, clock_timestamp() AS recorded_at, ${isStreamed('m')} AS is_streamed FROM m LEFT JOIN told ON told.workspace_id = m.workspace_id`;

/**
 * Writes an event for each message with subscribers or in a streamed workspace, and its deliveries. Deliveries of a paused webhook are held.
 * Part of the transaction that changed the status: it holds the lock of each message, so the sequences number the events of one message in the
 * order of its statuses.
 */
export async function writeEvents(db: Database, transaction: Transaction, type: MessageEventType, recorded: Subscribed[]): Promise<void> {
  const events = recorded.flatMap((message) =>
    message.subscribers === null && !message.is_streamed
      ? []
      : [{ id: makeId(), message, body: eventBody(type, message, message.recorded_at), subscribers: message.subscribers ?? [] }],
  );
  if (events.length === 0) return;
  const deliveries = events.flatMap(({ id, message, subscribers }) =>
    subscribers.map((subscriber) => ({
      id: makeId(),
      webhook_id: subscriber.id,
      event_id: id,
      message_id: message.id,
      group_id: message.group_id,
      status: subscriber.is_active ? 'pending' : 'held',
      // An ordered webhook's deliveries must not overtake each other. The group need not check the deliveries of a resting webhook.
      carried: subscriber.ordered || subscriber.is_resting,
      in_child: subscriber.is_resting,
      webhook_revision: subscriber.revision,
    })),
  );
  const eventRows = events.map(({ id, message, body }) => {
    const { id: message_id, workspace_id, is_streamed } = message;
    return { id, workspace_id, message_id, body, is_streamed };
  });
  await select(db, insertEvents, [type, JSON.stringify(eventRows), JSON.stringify(deliveries)], transaction);
}

// Due at the present time and not at the start of the transaction, which may have waited for the one that wrote an earlier event.
const insertEvents = `
  WITH stored AS (
    INSERT INTO events (id, workspace_id, message_id, type, body, streamed_in)
    SELECT id, workspace_id, message_id, $1, body, CASE WHEN is_streamed THEN pg_current_xact_id() END
    FROM json_to_recordset($2::json) AS e (id uuid, workspace_id uuid, message_id uuid, body text, is_streamed boolean)
  )
  INSERT INTO deliveries (id, webhook_id, event_id, event, message_id, group_id, status, next_attempt_at, carried, in_child, webhook_revision)
  SELECT id, webhook_id, event_id, $1, message_id, group_id, status, CASE status WHEN 'pending' THEN clock_timestamp() END, carried, in_child,
    webhook_revision
  FROM json_to_recordset($3::json) AS d (id uuid, webhook_id uuid, event_id uuid, message_id uuid, group_id uuid, status text, carried boolean,
                                         in_child boolean, webhook_revision integer)`;
