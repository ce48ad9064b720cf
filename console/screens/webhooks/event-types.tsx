/** The choice of event types. */
import type { Schema } from '../../api/call.js';
import { Choices } from '../../parts/check-boxes.js';

type EventType = Schema<'EventType'>;

const types = {
  'message.queued': 'accepted and paid',
  'message.sent': 'handed to the carrier',
  'message.delivered': 'delivered',
  'message.failed': 'failed',
} as const satisfies Record<EventType, string>;

export const eventTypes = Object.keys(types) as EventType[];

const usual: readonly EventType[] = ['message.sent', 'message.delivered', 'message.failed'];

export const EventTypes = ({ chosen = usual }: { chosen?: readonly EventType[] }) => (
  <Choices name="events" legend="Events" options={types} chosen={chosen} />
);

export const eventTypesOf = (data: FormData): EventType[] => data.getAll('events') as EventType[];
