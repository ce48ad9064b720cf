import { type Database, select } from '../../db/database.js';
import { isTracing } from '../../tracing/tracing.js';

/** Adds the `traceparent` of each client to the deliveries of its message. Reads nothing while tracing is off. */
export async function withTraceparents<Delivery extends { message_id: string | null }>(
  db: Database,
  deliveries: Delivery[],
): Promise<Delivery[]> {
  if (!isTracing()) return deliveries;
  const ids = deliveries.map(({ message_id }) => message_id);
  const given = await select<{ id: string; traceparent: string }>(db, clientTraces, [ids]);
  const byId = new Map(given.map(({ id, traceparent }) => [id, traceparent]));
  return deliveries.map((delivery) => ({ ...delivery, traceparent: byId.get(delivery.message_id ?? '') ?? null }));
}

const clientTraces = 'SELECT id, traceparent FROM messages WHERE id = ANY($1::uuid[]) AND traceparent IS NOT NULL';
