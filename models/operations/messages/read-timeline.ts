/** Reads the complete history of one message from its rows. */
import type { CreditEntry } from '../../tables/credit-entry.js';
import { type Database, select } from '../../db/database.js';
import type { RowOf } from '../../tables/columns.js';
import type { DeliveryStatus } from '../../tables/delivery.js';
import type { DeliveryReport } from '../../tables/delivery-report.js';
import { notFound } from '../../errors.js';
import { Message, type MessageRow } from '../../tables/message.js';
import type { MessageGroup } from '../../tables/message-group.js';
import type { sendAttemptColumns } from '../../tables/send-attempt.js';
import { type ChainView, chainOf } from './fallback-chain.js';
import { isHeld, statusNow } from '../deliveries/locked-deliveries.js';
import { reportsOfMessages } from '../reports/reports-of-messages.js';

/** One call to a provider. */
export type AttemptRow = Omit<RowOf<typeof sendAttemptColumns>, 'message_id' | 'claim_id'>;

/** One report of a provider, and its effect. */
export type ReportRow = Pick<
  DeliveryReport,
  'provider' | 'status' | 'occurred_at' | 'received_at' | 'applied_at' | 'outcome' | 'reason' | 'repeats' | 'raw'
>;

/** An event with one of its deliveries. The delivery's fields are null if every subscriber is deleted. */
export interface EventRow {
  event_id: string;
  type: string;
  created_at: Date;
  delivery_id: string | null;
  webhook_id: string;
  webhook_url: string;
  status: DeliveryStatus;
  /** The number of attempts that were made; only the newest are kept. Null if the retention has deleted them all; later ones count from 1 again. */
  attempts: number | null;
  last_attempt_at: Date | null;
  last_response_status: number | null;
  last_error: string | null;
  next_attempt_at: Date | null;
  delivered_at: Date | null;
}

/** A part of a charge that moved within a chain, see `take-over-charges.ts`. */
export interface TransferRow {
  from_id: string;
  to_id: string;
  amount: number;
  created_at: Date;
}

export interface Timeline {
  message: MessageRow;
  workflowId: string;
  /** The status of its batch; null for a single message. */
  batchStatus: string | null;
  /** Its batch has a rate. */
  pace: 'batch' | null;
  attempts: AttemptRow[];
  reports: ReportRow[];
  entries: Pick<CreditEntry, 'id' | 'kind' | 'amount' | 'description' | 'created_at'>[];
  /** What it took over from the charge of an earlier message of its chain, and what later steps took over from it. */
  transfers: TransferRow[];
  events: EventRow[];
  /** Its place in a fallback chain; null if it belongs to none. */
  chain: ChainView | null;
}

/**
 * The rows about a message, each kind in its order.
 * @throws AppError not_found in the same way for unknown, malformed and foreign ids, and for an undecided message
 */
export async function readTimeline(db: Database, workspaceId: string, id: string): Promise<Timeline> {
  const message = await Message.decided(workspaceId, id);
  // One after the other: side by side they would take all connections of the process.
  const [driven] = await select<Driver>(db, driver, [id]);
  if (driven === undefined) throw notFound('Message');
  return {
    message: message.get() as MessageRow,
    workflowId: driven.workflow_id,
    batchStatus: driven.batch_status,
    pace: driven.pace,
    attempts: await select<AttemptRow>(db, attemptsOf, [id]),
    reports: await select<ReportRow>(db, reportsOf, [id]),
    entries: await select<Timeline['entries'][number]>(db, entriesOf, [id, message.batch_id]),
    transfers: await select<TransferRow>(db, transfersOf, [id]),
    events: await select<EventRow>(db, eventsOf, [id, workspaceId]),
    chain: await chainOf(db, message),
  };
}

interface Driver extends Pick<MessageGroup, 'workflow_id'> {
  batch_status: string | null;
  pace: 'batch' | null;
}

// By the message, which may be in another group by now.
const driver = `
  SELECT g.workflow_id, b.status AS batch_status, CASE WHEN b.rate IS NOT NULL THEN 'batch' END AS pace
  FROM messages m JOIN message_groups g ON g.id = m.group_id LEFT JOIN batches b ON b.id = g.batch_id WHERE m.id = $1`;

const attemptsOf = `
  SELECT number, provider, outcome, provider_message_id, detail, route, route_share, started_at, finished_at, give_up_at
  FROM send_attempts WHERE message_id = $1 ORDER BY number`;

// Finds reports by the ids that providers gave to the message, and waiting ones also by its group. Both have an index, which a condition with OR
// would not use.
const reportsOf = `
  SELECT d.provider, d.status, d.occurred_at, d.received_at, d.applied_at, d.outcome, d.reason, d.repeats, d.raw
  FROM delivery_reports d
  WHERE d.id = ANY (ARRAY(
    ${reportsOfMessages('$1')}
    UNION SELECT d.id FROM messages m JOIN delivery_reports d ON d.group_id = m.group_id AND d.message_id = m.id AND d.applied_at IS NULL
    WHERE m.id = $1))
  ORDER BY d.id`;

// A batch is one debit. When a batch is cancelled, each page gets one refund for all messages that fail together. It names the first of them, and
// all have the same `failed_at`. A message that was cancelled alone has its own refund. ARRAY makes the planner use the index.
const entriesOf = `
  SELECT id, kind, amount, description, created_at FROM credit_entries
  WHERE kind = 'debit' AND reference IN ($1::text, $2::text)
    OR kind = 'refund' AND reference = $1::text
    OR kind = 'refund' AND reference = ANY(ARRAY(
      SELECT 'cancel:' || first.id FROM messages m JOIN messages first ON first.group_id = m.group_id AND first.failed_at = m.failed_at
      WHERE m.id = $1::uuid AND m.batch_id IS NOT NULL AND m.status_detail = 'cancelled'
        AND NOT EXISTS (SELECT 1 FROM credit_entries WHERE kind = 'refund' AND reference = $1::text)))
  ORDER BY id`;

const transfersOf = `
  SELECT from_id, to_id, amount, created_at FROM charge_transfers WHERE from_id = $1 OR to_id = $1 ORDER BY from_id, to_id`;

// The retention deletes no attempts of a pending delivery, but a replay may have made it pending again.
const untried = `
  CASE WHEN d.status = 'pending' AND d.replay_id IS NULL OR NOT EXISTS (SELECT 1 FROM retention_sweeps WHERE kind = 'attempts' AND swept_to >= d.id) THEN 0 END`;

// An event that was only written for a stream is left out, so that the timeline does not depend on open streams.
const eventsOf = `
  SELECT e.id AS event_id, e.type, e.created_at, d.id AS delivery_id, d.webhook_id, w.url AS webhook_url, ${statusNow} AS status,
    COALESCE(last.number, ${untried}) AS attempts,
    last.at AS last_attempt_at, last.response_status AS last_response_status, last.error AS last_error,
    CASE WHEN d.next_attempt_at IS NOT NULL AND NOT ${isHeld} THEN GREATEST(d.next_attempt_at, w.resume_at) END AS next_attempt_at, d.delivered_at
  FROM events e
  LEFT JOIN (deliveries d JOIN webhooks w ON w.id = d.webhook_id AND w.workspace_id = $2) ON d.event_id = e.id
  LEFT JOIN LATERAL (
    SELECT a.number, a.at, a.response_status, a.error FROM delivery_attempts a WHERE a.delivery_id = d.id ORDER BY a.number DESC LIMIT 1
  ) last ON true
  WHERE e.message_id = $1 AND (d.id IS NOT NULL OR e.streamed_in IS NULL) ORDER BY e.seq, e.id, d.seq, d.id`;
