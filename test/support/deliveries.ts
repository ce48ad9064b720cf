/** Deliveries for tests, and how they stand. */
import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../models/database.js';
import type { Trigger } from '../../models/delivery.js';
import type { NextStep } from '../../models/operations/record-attempt.js';
import { rows } from './database.js';
import { buildQueued } from './factories.js';

export interface DeliveryRow {
  id: string;
  webhook_id: string;
  group_id: string;
  status: string;
  ladder_step: number;
  in_child: boolean;
  next_attempt_at: Date | null;
  delivered_at: Date | null;
}

/** The delivery of a `message.queued` event to each webhook of the workspace, by their number. */
export async function buildDeliveries(db: Database, workspaceId: string): Promise<DeliveryRow[]> {
  const { id } = await buildQueued(db, workspaceId);
  return rows<DeliveryRow>(db, 'SELECT * FROM deliveries WHERE message_id = $1 ORDER BY seq', [id]);
}

/** The same where there is one webhook. */
export async function buildDelivery(db: Database, workspaceId: string): Promise<DeliveryRow> {
  const [delivery] = await buildDeliveries(db, workspaceId);
  if (delivery === undefined) throw new Error('nobody subscribes');
  return delivery;
}

export async function deliveryOf(db: Database, id: string): Promise<DeliveryRow> {
  const [delivery] = await rows<DeliveryRow>(db, 'SELECT * FROM deliveries WHERE id = $1', [id]);
  if (delivery === undefined) throw new Error(`no delivery ${id}`);
  return delivery;
}

export const attemptsOf = (db: Database, deliveryId: string) =>
  rows<{ number: number; trigger: Trigger; response_status: number | null; error: string | null; response_body: string | null }>(
    db,
    'SELECT number, trigger, response_status, error, response_body FROM delivery_attempts WHERE delivery_id = $1 ORDER BY number',
    [deliveryId],
  );

/** An attempt with this consequence. @param url that of the webhook, at the time */
export const attemptWith = (delivery: Pick<DeliveryRow, 'id' | 'webhook_id'>, next: NextStep, url = 'https://one.example.test/') => ({
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

/** Makes deliveries due now, as if their waiting time had passed. */
export const makeDue = (db: Database, ...ids: string[]) =>
  rows(db, `UPDATE deliveries SET next_attempt_at = now() - interval '1 second' WHERE id = ANY($1::uuid[])`, [ids]);

/** An id that no row has. */
export const unknownId = () => uuidv7();
