/** What is sent instead if a message does not arrive: the steps that are left of its chain, and the message that became of the first. */
import type { FallbackStep } from '../rules/messages/fallback.js';
import { column, type Columns, nullable, withDefault } from './columns.js';
import { modelOf } from './model-of.js';

const fallbackColumns = {
  message_id: column.uuid(),
  steps: column.json<FallbackStep[]>(),
  /** If the message was not delivered by then, the next step begins. */
  due_at: column.timestamp(),
  /** Null: undecided. */
  outcome: withDefault(nullable(column.text<'sent' | 'not_needed' | 'unaffordable' | 'unknown'>())),
  next_id: withDefault(nullable(column.uuid())),
  decided_at: withDefault(nullable(column.timestamp())),
} satisfies Columns;

export class Fallback extends modelOf(fallbackColumns) {}
