/** How a perfect service delivers events. */
import type { EventFact, MessageFact, WebhookFact } from '../snapshot.js';
import type { World } from './world.js';

type Type = 'message.queued' | 'message.sent' | 'message.delivered' | 'message.failed';

/** Writes the event of a transition with its deliveries, and delivers them. Those of an inactive webhook are held. */
export function tell(world: World, row: MessageFact, type: Type): void {
  const data = {
    message_id: row.id,
    channel: row.channel,
    recipient: row.to,
    status: type.slice('message.'.length),
    ...(type === 'message.queued' || type === 'message.sent' ? { credits_used: row.credits_used / 1000 } : {}),
    ...(row.provider_message_id === null ? {} : { provider_message_id: row.provider_message_id }),
    ...(type === 'message.failed' ? { error_code: row.error_code } : {}),
  };
  const body = JSON.stringify({ event: type, timestamp: new Date(world.now).toISOString(), data });
  const event = { id: world.id('event'), message_id: row.id, type, body, created_at: world.now };
  world.snapshot.events.push(event);
  for (const webhook of world.snapshot.webhooks) {
    if (webhook.workspace_id !== row.workspace_id) continue;
    const isHeld = world.inactive.has(webhook.id);
    world.snapshot.deliveries.push({
      webhook_id: webhook.id,
      event_id: event.id,
      status: isHeld ? 'held' : 'pending',
      attempts: 0,
      is_scheduled: true,
    });
    if (!isHeld) deliver(world, webhook, event);
  }
}

/** Delivers an event to its receiver, in order if the webhook is ordered. One attempt in eight fails and is repeated. */
export function deliver(world: World, webhook: WebhookFact, event: EventFact, trigger: 'scheduled' | 'replay' = 'scheduled'): void {
  const delivery = world.snapshot.deliveries.find(({ webhook_id, event_id }) => webhook_id === webhook.id && event_id === event.id);
  if (delivery === undefined) throw new Error('no such delivery');
  const free = Math.max(world.now, world.lineFreeAt.get(webhook.id) ?? 0, lastOf(world, webhook, event));
  const failures = world.random.chance(0.12) ? 1 : 0;
  const arrivesAt = free + world.random.int(1, 20);
  const endsAt = arrivesAt + failures * 400;
  note(world, webhook, event, endsAt);
  if (webhook.ordered) world.lineFreeAt.set(webhook.id, endsAt + 1);
  for (let attempt = 0; attempt <= failures; attempt += 1) {
    world.after(arrivesAt + attempt * 400 - world.now, () => {
      if (world.inactive.has(webhook.id)) return void Object.assign(delivery, { status: 'held' });
      const answers = attempt < failures ? world.random.choose([500, null]) : 200;
      world.see({ type: 'event', webhook: webhook.id, id: event.id, event: event.type, body: event.body ?? '', signed: true, answers });
      delivery.attempts += 1;
      if (trigger === 'replay') delivery.is_scheduled = false;
      if (answers === 200) delivery.status = 'succeeded';
    });
  }
}

/** When the last event of the message will have reached the webhook. The next one comes after it. */
const reached = new WeakMap<World, Map<string, number>>();

function lastOf(world: World, webhook: WebhookFact, event: EventFact): number {
  return reached.get(world)?.get(`${webhook.id} ${event.message_id}`) ?? 0;
}

function note(world: World, webhook: WebhookFact, event: EventFact, at: number): void {
  const line = reached.get(world) ?? new Map<string, number>();
  line.set(`${webhook.id} ${event.message_id}`, at + 1);
  reached.set(world, line);
}
