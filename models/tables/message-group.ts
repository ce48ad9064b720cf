/** The messages that one workflow drives. A single send is a group of one. */
import { column, type Columns, nullable, withDefault } from './columns.js';
import { modelOf } from './model-of.js';

const messageGroupColumns = {
  id: column.uuid(),
  workflow_id: column.text(),
  /** Its inbox has reports, and its workflow was woken for them. */
  reports_pending: withDefault(column.boolean()),
  /** Of a page of a batch. */
  batch_id: withDefault(nullable(column.uuid())),
  page: withDefault(nullable(column.integer())),
  announced_at: withDefault(nullable(column.timestamp())),
  /** When the watcher looks at it next. */
  look_at: withDefault(column.timestamp()),
  created_at: withDefault(column.timestamp()),
  /** Nothing of it is open any more. */
  closed_at: withDefault(nullable(column.timestamp())),
} satisfies Columns;

export class MessageGroup extends modelOf(messageGroupColumns) {}
