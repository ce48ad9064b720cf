/** A call to a provider, written before the call: after a crash the row says that the outcome is unknown. */
import type { RouteReason } from '../rules/routing/route.js';
import { column, type Columns, nullable, withDefault } from './columns.js';
import { modelOf } from './model-of.js';

export const sendAttemptColumns = {
  message_id: column.uuid(),
  number: column.integer(),
  /** The provider account. */
  provider: column.text(),
  /** Null: the call is in progress, or its answer was lost. */
  outcome: withDefault(nullable(column.text<'accepted' | 'throttled' | 'retryable' | 'rejected' | 'unknown'>())),
  provider_message_id: withDefault(nullable(column.text())),
  detail: withDefault(nullable(column.text())),
  /** Why this account was chosen; null for calls that are older than this column. */
  route: withDefault(nullable(column.text<RouteReason>())),
  /** The percentage of the channel's messages that went through it then. */
  route_share: withDefault(nullable(column.smallint())),
  /** The claim that wrote the attempt. */
  claim_id: withDefault(nullable(column.uuid())),
  started_at: withDefault(column.timestamp()),
  finished_at: withDefault(nullable(column.timestamp())),
  /** When an uncertain hand-off is given up; null: after the usual time. */
  give_up_at: withDefault(nullable(column.timestamp())),
} satisfies Columns;

export class SendAttempt extends modelOf(sendAttemptColumns) {}
