/** The events that subscribers receive: types, descriptions and payloads. */
import type { Channel } from '../../channels.js';
import type { PublicStatus } from '../messages/status.js';
import { toCredits } from '../billing/credits.js';
import { unlessErased } from '../contacts/erasure.js';

/**
 * Every event type with its description. The list of subscriptions, the schemas and the OpenAPI document follow from it. The event of a
 * status is also in `eventOfStatus`. Any other event is written by the operation that causes it.
 */
export const eventDescriptions = {
  'message.queued': 'The message was accepted and its credits were charged.',
  'message.sent': 'The message was handed to the carrier.',
  'message.delivered': 'The carrier reported that the message reached its recipient.',
  'message.failed': 'The message was rejected, cancelled or expired, or the carrier reported that it could not be delivered.',
} as const satisfies Record<string, string>;

export type EventType = keyof typeof eventDescriptions;
export const eventTypes = Object.keys(eventDescriptions) as readonly EventType[];

/** The event of a status; null: none. */
export const eventOfStatus = {
  queued: 'message.queued',
  sent: 'message.sent',
  delivered: 'message.delivered',
  failed: 'message.failed',
  read: null,
} as const satisfies Record<PublicStatus, EventType | null>;

/** The events of a message's status. */
export type MessageEventType = Exclude<(typeof eventOfStatus)[PublicStatus], null>;

const statusOfEvent = Object.fromEntries(
  Object.entries(eventOfStatus).flatMap(([status, type]) => (type === null ? [] : [[type, status]])),
) as Record<MessageEventType, PublicStatus>;

/** The event of a test that an owner sends to a webhook. It cannot be subscribed to. */
export const testEventType = 'webhook.test';

/** Its exact body, in the envelope of the other events. */
export const testEventBody = (webhookId: string, at: Date) =>
  JSON.stringify({ event: testEventType, timestamp: at.toISOString(), data: { webhook_id: webhookId } });

/** The fields of a message that an event contains. */
export interface EventSubject {
  id: string;
  channel: Channel;
  to: string;
  reference: string | null;
  batch_id: string | null;
  metadata: Record<string, unknown> | null;
  credits_used: number;
  provider_message_id: string | null;
  error_code: string | null;
  error_message: string | null;
  delivered_at: Date | null;
}

/**
 * The exact body of an event. It is made once, stored, and sent byte for byte at every attempt. `metadata` and `reference` are present if
 * the client gave them; `batch_id`, and `provider_message_id` of a failure, if they exist.
 */
export const eventBody = (type: MessageEventType, message: EventSubject, at: Date): string =>
  JSON.stringify({ event: type, timestamp: at.toISOString(), data: eventData(type, message) });

/** The data of an event. What is undefined is absent from its body. */
export const eventData = (type: MessageEventType, message: EventSubject) => ({
  message_id: message.id,
  channel: message.channel,
  recipient: unlessErased(message.to) ?? '', // for a correction that comes after the erasure
  status: statusOfEvent[type],
  ...fieldsOf(type, message),
  reference: message.reference ?? undefined,
  batch_id: message.batch_id ?? undefined,
  metadata: message.metadata ?? undefined,
});

function fieldsOf(type: MessageEventType, message: EventSubject) {
  const credits_used = toCredits(message.credits_used);
  const provider_message_id = unlessErased(message.provider_message_id) ?? '';
  switch (type) {
    case 'message.queued':
      return { credits_used };
    case 'message.sent':
      return { credits_used, provider_message_id };
    case 'message.delivered':
      return { provider_message_id, delivered_at: message.delivered_at?.toISOString() };
    case 'message.failed':
      return {
        provider_message_id: message.provider_message_id === null ? undefined : provider_message_id,
        error_code: message.error_code,
        error_message: message.error_message,
      };
  }
}

type KeyOf<Union> = Union extends unknown ? keyof Union : never;

/** A field of the data of any event. */
export type EventField = KeyOf<ReturnType<typeof eventData>>;
