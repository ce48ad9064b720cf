/** How a perfect service erases a message. */
import type { MessageFact } from '../snapshot.js';
import type { World } from './world.js';

const againMs = 1_000;

/** Empties a message and its events when it has ended and all of them were delivered. */
export function forget(world: World, row: MessageFact): void {
  const { events, deliveries } = world.snapshot;
  const own = events.filter(({ message_id }) => message_id === row.id);
  const isPending = own.some(({ id }) => deliveries.some(({ event_id, status }) => event_id === id && status === 'pending'));
  if (!['delivered', 'read', 'failed'].includes(row.status) || isPending) return world.after(againMs, () => forget(world, row));
  Object.assign(row, { to: `digest of ${row.id}`, token: null, length: 0, erased_at: world.now });
  for (const event of own) event.body = null;
}
