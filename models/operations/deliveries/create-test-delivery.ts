import { makeId } from '../../rules/values/make-id.js';
import { type Database, select } from '../../db/database.js';
import { testEventBody, testEventType } from '../../rules/webhooks/events.js';
import { Webhook } from '../../tables/webhook.js';

/**
 * Creates an event for this webhook only, and its delivery, due at once. If no process attempts it, the watcher does.
 * @returns the delivery's id
 * @throws AppError not_found if the workspace has no such webhook, conflict if it is inactive
 */
export async function createTestDelivery(db: Database, workspaceId: string, webhookId: string): Promise<string> {
  const webhook = await Webhook.owned(workspaceId, webhookId);
  webhook.assertActive();
  const [eventId, deliveryId] = [makeId(), makeId()];
  const body = testEventBody(webhook.id, new Date());
  await select(db, insert, [eventId, workspaceId, testEventType, body, deliveryId, webhook.id]);
  return deliveryId;
}

const insert = `
  WITH stored AS (INSERT INTO events (id, workspace_id, type, body) VALUES ($1, $2, $3, $4))
  INSERT INTO deliveries (id, webhook_id, event_id, event, status, next_attempt_at, webhook_revision)
  SELECT $5, id, $1, $3, 'pending', now(), revision FROM webhooks WHERE id = $6`;

/** Deletes a test delivery whose attempt could not be requested, so that a refused request leaves nothing behind. */
export async function deleteTestDelivery(db: Database, deliveryId: string): Promise<void> {
  await select(db, drop, [deliveryId, testEventType]);
}

const drop = `
  DELETE FROM events WHERE type = $2 AND id = (SELECT event_id FROM deliveries WHERE id = $1)`;
