/** Creates and reads deliveries. */
import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../../models/db/database.js';
import type { DeliveryStatus, Trigger } from '../../../models/tables/delivery.js';
import type { Webhook } from '../../../models/tables/webhook.js';
import { statusNow } from '../../../models/operations/deliveries/locked-deliveries.js';
import {
  type Attempt,
  type AttemptEffect,
  type DeliveryOutcome,
  recordAttempts as record,
} from '../../../models/operations/deliveries/record-attempt.js';
import { settleDeliveries, type SettlingPlace } from '../../../models/operations/deliveries/settle-deliveries.js';
import { rows } from '../database.js';
import { buildQueued } from './factories.js';

export interface DeliveryRow {
  id: string;
  webhook_id: string;
  message_id: string;
  group_id: string;
  status: string;
  ladder_step: number;
  in_child: boolean;
  next_attempt_at: Date | null;
  delivered_at: Date | null;
}

/** The delivery of a `message.queued` event to each webhook of the workspace, by index. */
export async function buildDeliveries(db: Database, workspaceId: string): Promise<DeliveryRow[]> {
  const { id } = await buildQueued(db, workspaceId);
  return rows<DeliveryRow>(db, 'SELECT * FROM deliveries WHERE message_id = $1 ORDER BY seq', [id]);
}

/** The same for a workspace with one webhook. */
export async function buildDelivery(db: Database, workspaceId: string): Promise<DeliveryRow> {
  const [delivery] = await buildDeliveries(db, workspaceId);
  if (delivery === undefined) throw new Error('nobody subscribes');
  return delivery;
}

/** The same in this status, with its step in the retry schedule. Only a pending delivery has a next attempt. */
export async function buildDeliveryIn(db: Database, workspaceId: string, status: DeliveryStatus, ladderStep = 0): Promise<DeliveryRow> {
  const { id } = await buildDelivery(db, workspaceId);
  const [delivery] = await rows<DeliveryRow>(db, setStatus, [id, status, ladderStep]);
  if (delivery === undefined) throw new Error(`no delivery ${id}`);
  return delivery;
}

const setStatus = `
  UPDATE deliveries SET status = $2, ladder_step = $3, next_attempt_at = CASE WHEN $2 = 'pending' THEN next_attempt_at END
  WHERE id = $1 RETURNING *`;

/** The current delivery, with the state that the row of its webhook adds. */
export async function deliveryOf(db: Database, id: string): Promise<DeliveryRow> {
  const [delivery] = await rows<DeliveryRow>(db, asItStands, [id]);
  if (delivery === undefined) throw new Error(`no delivery ${id}`);
  return delivery;
}

const asItStands = `
  SELECT d.*, ${statusNow} AS status, CASE WHEN ${statusNow} = 'pending' THEN d.next_attempt_at END AS next_attempt_at
  FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE d.id = $1`;

/** Updates the deliveries after a change of their webhook, as its workflow does. @returns the number of pages */
export async function settle(db: Database, webhookId: string, page?: number): Promise<number> {
  let place: SettlingPlace | null = null;
  for (let pages = 0; ; pages += 1) {
    place = await settleDeliveries(db, webhookId, place, page);
    if (place === null) return pages;
  }
}

export const attemptsOf = (db: Database, deliveryId: string) =>
  rows<{ number: number; trigger: Trigger; response_status: number | null; error: string | null; response_body: string | null }>(
    db,
    'SELECT number, trigger, response_status, error, response_body FROM delivery_attempts WHERE delivery_id = $1 ORDER BY number',
    [deliveryId],
  );

/** An attempt with this next step. @param url the URL of the webhook at that time */
export const attemptWith = (
  delivery: Pick<DeliveryRow, 'id' | 'webhook_id'>,
  next: DeliveryOutcome,
  url = 'https://one.example.test/',
) => ({
  deliveryId: delivery.id,
  webhookId: delivery.webhook_id,
  trigger: 'scheduled' as const,
  at: new Date(),
  durationMs: 12,
  responseStatus: next.status === 'succeeded' ? 200 : 500,
  error: next.status === 'succeeded' ? null : 'http_status',
  responseBody: 'body',
  url,
  requestHeaders: {},
  responseHeaders: {},
  timings: { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: 12, total_ms: 12 },
  remoteAddress: '127.0.0.1',
  next,
});

/** Records attempts. Unless the test gives a time, no failure disables the endpoint. */
export const recordAttempts = (db: Database, attempts: Attempt[], disableAfterSeconds = 0): Promise<AttemptEffect[]> =>
  record(db, attempts, disableAfterSeconds);

/** The state of the deliveries of a backlog. */
export interface Backlog {
  count: number;
  carried?: boolean;
  /** The number of failed attempts. The next attempt is due in an hour; without failed attempts it was due a second ago. */
  ladderStep?: number;
}

/** Creates many pending deliveries of a webhook, each of a different event, in one statement. */
export async function buildBacklog(db: Database, webhook: Webhook, { count, carried = true, ladderStep = 0 }: Backlog): Promise<void> {
  await rows(db, backlog, [webhook.workspace_id, webhook.id, count, carried, ladderStep]);
}

const backlog = `
  WITH e AS (
    INSERT INTO events (id, workspace_id, type, body) SELECT uuidv7(), $1, 'message.sent', '{}' FROM generate_series(1, $3::integer) RETURNING id
  )
  INSERT INTO deliveries (id, webhook_id, event_id, event, status, carried, in_child, ladder_step, next_attempt_at, webhook_revision)
  SELECT uuidv7(), $2, e.id, 'message.sent', 'pending', $4, $4, $5::integer,
    now() + CASE WHEN $5::integer = 0 THEN interval '-1 second' ELSE interval '1 hour' END, w.revision
  FROM e, webhooks w WHERE w.id = $2`;

/** Makes deliveries due now, as if their waiting time had passed. */
export const makeDeliveriesDue = (db: Database, ...ids: string[]) =>
  rows(db, `UPDATE deliveries SET next_attempt_at = now() - interval '1 second' WHERE id = ANY($1::uuid[])`, [ids]);

/** An id that no row has. */
export const unknownId = () => uuidv7();
