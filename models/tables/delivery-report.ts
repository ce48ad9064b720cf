/** A delivery report in the inbox: stored before it is applied, each statement of a provider once. */
import type { ReportStatus } from '../rules/messages/status.js';
import { column, type Columns, nullable, withDefault } from './columns.js';
import { modelOf } from './model-of.js';

/** Why a report had no effect, for the timeline. */
export type IgnoredReason = 'repeats_status' | 'backwards' | 'not_on_channel';

export const deliveryReportColumns = {
  id: column.uuid(),
  /** The provider account. */
  provider: column.text(),
  provider_message_id: column.text(),
  status: column.text<ReportStatus>(),
  /** Null until a message with the id of the provider is known. */
  message_id: nullable(column.uuid()),
  group_id: nullable(column.uuid()),
  /** Our code. */
  error_code: nullable(column.text()),
  is_permanent: withDefault(column.boolean()),
  provider_error_code: nullable(column.text()),
  /** By the clock of the provider. */
  occurred_at: column.timestamp(),
  received_at: withDefault(column.timestamp()),
  /** When it was put back into the inbox; null if it never was. */
  reopened_at: withDefault(nullable(column.timestamp())),
  raw: column.text(),
  applied_at: withDefault(nullable(column.timestamp())),
  /** Null until it was applied for the first time. A report that is replayed keeps it. */
  outcome: withDefault(nullable(column.text<'applied' | 'ignored'>())),
  reason: withDefault(nullable(column.text<IgnoredReason>())),
  /** How often it was repeated. */
  repeats: withDefault(column.integer()),
} satisfies Columns;

export class DeliveryReport extends modelOf(deliveryReportColumns) {}
