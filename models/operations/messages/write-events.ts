import { makeId } from '../../rules/values/make-id.js';
import { type Database, select, type Transaction } from '../../db/database.js';
import { column, only, recordset } from '../../tables/columns.js';
import { eventColumns } from '../../tables/event.js';
import type { StatusRow } from '../../tables/message.js';
import { type Webhook, webhookColumns } from '../../tables/webhook.js';
import { groupBy } from '../../rules/values/group-by.js';
import { eventBody, type MessageEventType } from '../../rules/webhooks/events.js';

interface Subscriber extends Pick<Webhook, 'id' | 'is_active' | 'ordered' | 'revision'> {
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
  WITH m AS (${messages}), subscribed AS MATERIALIZED (
    SELECT w.workspace_id, json_agg(json_build_object('id', w.id, 'is_active', w.is_active, 'ordered', w.ordered, 'revision', w.revision,
      'is_resting', COALESCE(w.resume_at > now() + ${restSecondsMin} * interval '1 second' AND w.carrier_looks_at IS NOT NULL, false))) AS subscribers
    FROM webhooks w
    WHERE w.workspace_id IN (SELECT workspace_id FROM m) AND w.deleted_at IS NULL AND ${parameter}::text = ANY(w.events)
    GROUP BY w.workspace_id
  )
  SELECT m.*, subscribed.subscribers, clock_timestamp() AS recorded_at, ${isStreamed('m')} AS is_streamed FROM m LEFT JOIN subscribed ON subscribed.workspace_id = m.workspace_id`;

/**
 * Writes an event for each message with subscribers or in a streamed workspace, and its deliveries. Deliveries of a paused webhook are held.
 * Part of the transaction that changed the status: it holds the lock of each message, so the sequences number the events of one message in the
 * order of its statuses.
 */
export async function writeEvents(db: Database, transaction: Transaction, type: MessageEventType, recorded: Subscribed[]): Promise<void> {
  const events: object[] = [];
  const webhooks: object[] = [];
  for (const [workspace_id, messages] of groupBy(recorded, (message) => message.workspace_id)) {
    const subscribers = messages[0]?.subscribers ?? [];
    const isWide = messages.length > 1 && subscribers.length > fewWebhooks;
    webhooks.push(...subscribers.map((webhook, index) => ({ ...webhook, workspace_id, place: index + 1, is_wide: isWide })));
    const groups = new Set<string>();
    for (const message of messages) {
      if (subscribers.length === 0 && !message.is_streamed) continue;
      events.push({ ...eventOf(type, message, subscribers.length), is_first: !groups.has(message.group_id) });
      groups.add(message.group_id);
    }
  }
  if (events.length > 0) await select(db, insertEvents, [type, JSON.stringify(events), JSON.stringify(webhooks)], transaction);
}

/**
 * With more webhooks, the events of several messages are *wide*: their deliveries are left to the retriers at once. A page of such a workspace
 * has thousands of deliveries. Reading each for a first attempt and leaving most of them would take longer than writing them.
 */
const fewWebhooks = 4;

/** An event with the ids of its deliveries, in the order of the subscribers. */
function eventOf(type: MessageEventType, message: Subscribed, subscribers: number): object {
  const { id: message_id, workspace_id, group_id, is_streamed, recorded_at } = message;
  const delivery_ids = Array.from({ length: subscribers }, () => makeId());
  return { id: makeId(), workspace_id, message_id, group_id, body: eventBody(type, message, recorded_at), is_streamed, delivery_ids };
}

const givenEvents = {
  ...only(eventColumns, 'id', 'workspace_id', 'message_id', 'body'),
  group_id: column.uuid(),
  is_streamed: column.boolean(),
  is_first: column.boolean(),
  delivery_ids: column.uuids(),
};
const givenWebhooks = {
  ...only(webhookColumns, 'workspace_id', 'id', 'is_active', 'ordered', 'revision'),
  place: column.integer(),
  is_resting: column.boolean(),
  is_wide: column.boolean(),
};

// The statement pairs events with webhooks itself, because reading each delivery from JSON would take a quarter of its time.
// An ordered webhook's deliveries must not overtake each other, so they are left to its retrier. The group need not look at the deliveries of a
// resting webhook. Of wide events it looks at the first delivery for each webhook: that wakes the retrier, which finds the others.
// A delivery is due at the present time and not at the start of the transaction, which may have waited for the one that wrote an earlier event.
const insertEvents = `
  WITH e AS MATERIALIZED (
    SELECT * FROM ${recordset('$2', 'e', givenEvents)}
  ), stored AS (
    INSERT INTO events (id, workspace_id, message_id, type, body, streamed_in)
    SELECT id, workspace_id, message_id, $1, body, CASE WHEN is_streamed THEN pg_current_xact_id() END FROM e
  )
  INSERT INTO deliveries (id, webhook_id, event_id, event, message_id, group_id, status, next_attempt_at, carried, in_child, webhook_revision)
  SELECT e.delivery_ids[w.place], w.id, e.id, $1, e.message_id, e.group_id, CASE WHEN w.is_active THEN 'pending' ELSE 'held' END,
    CASE WHEN w.is_active THEN clock_timestamp() END, w.ordered OR w.is_resting OR w.is_wide, w.is_resting OR w.is_wide AND NOT e.is_first,
    w.revision
  FROM e JOIN ${recordset('$3', 'w', givenWebhooks)} USING (workspace_id)`;
