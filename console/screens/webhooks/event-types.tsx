/** The choice of event types. */
import type { Schema } from '../../api/call.js';

type EventType = Schema<'EventType'>;

const types = {
  'message.queued': 'accepted and paid',
  'message.sent': 'handed to the carrier',
  'message.delivered': 'delivered',
  'message.failed': 'failed',
} as const satisfies Record<EventType, string>;

export function EventTypes({ chosen }: { chosen?: readonly EventType[] }) {
  return (
    <fieldset>
      <legend>Events</legend>
      {Object.entries(types).map(([type, text]) => (
        <div key={type}>
          <label>
            <input
              type="checkbox"
              name="events"
              value={type}
              defaultChecked={chosen?.includes(type as EventType) ?? type !== 'message.queued'}
            />{' '}
            <code>{type}</code> <span class="note">{text}</span>
          </label>
        </div>
      ))}
    </fieldset>
  );
}

export const eventTypesOf = (data: FormData): EventType[] => data.getAll('events') as EventType[];
