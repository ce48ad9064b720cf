/** The events that subscribers receive: types and payloads (interface.md, Events). */
import type { Channel } from '../../channels.js';
import { toCredits } from '../billing/credits.js';
import { shownRecipient } from '../contacts/erasure.js';

export const eventTypes = ['message.queued', 'message.sent', 'message.delivered', 'message.failed'] as const;
export type EventType = (typeof eventTypes)[number];

export const eventDescriptions: Readonly<Record<EventType, string>> = {
  'message.queued': 'The message was accepted and its credits were charged.',
  'message.sent': 'The message was handed to the provider.',
  'message.delivered': 'The provider reported that the message reached its recipient.',
  'message.failed': 'The message was refused, cancelled or expired, or the provider reported that it could not be delivered.',
};

/** What an owner sends to see whether a webhook works. Nobody subscribes to it. */
export const testEventType = 'webhook.test';

/** Its exact body, in the envelope of the others. */
export const testEventBody = (webhookId: string, at: Date) =>
  JSON.stringify({ event: testEventType, timestamp: at.toISOString(), data: { webhook_id: webhookId } });

/** The fields of a message that an event tells. */
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
 * The exact body of an event: made once, stored, and sent byte for byte at every attempt.
 * `metadata` and `reference` are there when they were given; `batch_id` and `provider_message_id` when there is one.
 */
export function eventBody(type: EventType, message: EventSubject, at: Date): string {
  const data = {
    message_id: message.id,
    channel: message.channel,
    recipient: shownRecipient(message.to) ?? '', // of a correction that comes after it was erased
    status: type.slice('message.'.length),
    ...fieldsOf(type, message),
    ...(message.reference === null ? {} : { reference: message.reference }),
    ...(message.batch_id === null ? {} : { batch_id: message.batch_id }),
    ...(message.metadata === null ? {} : { metadata: message.metadata }),
  };
  return JSON.stringify({ event: type, timestamp: at.toISOString(), data });
}

function fieldsOf(type: EventType, message: EventSubject): object {
  const provider = message.provider_message_id === null ? {} : { provider_message_id: message.provider_message_id };
  switch (type) {
    case 'message.queued':
      return { credits_used: toCredits(message.credits_used) };
    case 'message.sent':
      return { credits_used: toCredits(message.credits_used), ...provider };
    case 'message.delivered':
      return { ...provider, delivered_at: message.delivered_at?.toISOString() };
    case 'message.failed':
      return { ...provider, error_code: message.error_code, error_message: message.error_message };
  }
}
