/** An event: the exact bytes that subscribers receive. */
import type { EventType, testEventType } from '../rules/webhooks/events.js';
import { column, type Columns, nullable, withDefault } from './columns.js';
import { modelOf } from './model-of.js';

export const eventColumns = {
  id: column.uuid(),
  /** The database's number of the event among all events; 0 for events that are older than the numbering. */
  seq: withDefault(column.bigint()),
  workspace_id: column.uuid(),
  /** Null in a test event. */
  message_id: nullable(column.uuid()),
  type: column.text<EventType | typeof testEventType>(),
  /** Null: it was erased. */
  body: nullable(column.text()),
  /** The transaction that wrote it; null: no stream may want it. */
  streamed_in: withDefault(nullable(column.transaction())),
  created_at: withDefault(column.timestamp()),
} satisfies Columns;

export class StoredEvent extends modelOf(eventColumns) {}
