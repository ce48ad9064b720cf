/**
 * Writes the status of messages, with their events and deliveries in the same transaction. It is the only writer, except for two that make
 * messages `queued` without an event: `accept-one.ts`, and `accept-batch.ts` for a batch.
 */
import { afterCommit, type Database, select, type Transaction } from '../../db/database.js';
import { observeMoves } from '../../metrics/observe.js';
import { column, namesOf, only, recordset } from '../../tables/columns.js';
import { messageColumns, statusColumns, type StatusRow } from '../../tables/message.js';
import { eventOfStatus } from '../../rules/webhooks/events.js';
import { groupBy } from '../../rules/values/group-by.js';
import { movesInto, type PublicStatus, type Status, type StatusDetail } from '../../rules/messages/status.js';
import { formatCredits } from '../../rules/billing/credits.js';
import { type Posting, type Refund, refund } from '../billing/post-credits.js';
import { type ChainRefund, takeOverCharges } from './take-over-charges.js';
import { type Subscribed, subscribed, writeEvents } from './write-events.js';

/** What becomes known about one message with its new status. */
export interface StatusChange {
  id: string;
  status_detail: StatusDetail;
  at: Date;
  provider?: string;
  provider_message_id?: string;
  /** The carrier's id in the report of this status. The message itself may have none, because an id belongs to one message. */
  reported_id?: string;
  provider_error_code?: string | undefined;
  error_code?: string;
  error_message?: string;
}

export interface Move {
  to: PublicStatus;
  /** Statuses that the messages may have before. Default: all that the transition table allows. */
  from?: readonly Status[];
  /** A further condition: only messages with one of these details. */
  details?: readonly StatusDetail[];
  changes: StatusChange[];
  /** One refund for all failed messages, of one batch, instead of one for each. */
  refundAs?: Omit<Posting, 'amount'>;
}

/**
 * Moves messages to a status if their present one allows it. The others are unchanged. A caller that moves several messages has locked them
 * before, in the order of their ids, because the plan of this statement decides in which order it takes them. Writes the event and its
 * deliveries if there are subscribers. Refunds a message that fails and was never handed off.
 * @returns the messages that moved, with their subscribers
 */
export async function recordStatuses(db: Database, transaction: Transaction, move: Move): Promise<Subscribed[]> {
  const { to, from = movesInto[to], details = null, changes } = move;
  if (!from.every((status) => movesInto[to].includes(status))) throw new Error(`no move into ${to} from ${from.join(', ')}`);
  if (changes.length === 0) return [];
  const type = eventOfStatus[to];
  const bind = [to, JSON.stringify(changes), from, details, type, changes.map(({ id }) => id)];
  const recorded = await select<Subscribed>(db, update, bind, transaction);
  afterCommit(transaction, () => observeMoves(to, recorded));
  if (type !== null) await writeEvents(db, transaction, type, withReportedIds(recorded, changes));
  if (to === 'failed') await refundFailed(db, transaction, recorded, move.refundAs);
  return recorded;
}

/** Messages for their events, which name the carrier's id also of a message that has none. */
function withReportedIds(recorded: Subscribed[], changes: readonly StatusChange[]): Subscribed[] {
  const ids = new Map(changes.flatMap(({ id, reported_id }) => (reported_id === undefined ? [] : [[id, reported_id] as const])));
  return ids.size === 0
    ? recorded
    : recorded.map((row) => ({ ...row, provider_message_id: row.provider_message_id ?? ids.get(row.id) ?? null }));
}

const givenChanges = {
  ...only(messageColumns, 'id', 'status_detail', 'provider', 'provider_message_id', 'provider_error_code', 'error_code', 'error_message'),
  at: column.timestamp(),
};

// The ids are given twice. Otherwise a plan from the time when the table was small would read all of it for the join.
// The clocks of providers and of our processes differ. No step of a message is shown before the one that it follows.
const moved = `
  UPDATE messages m SET
    status = $1,
    status_detail = c.status_detail,
    credits_used = CASE $1 WHEN 'queued' THEN m.cost WHEN 'failed' THEN CASE m.status WHEN 'queued' THEN 0 ELSE m.credits_used END ELSE m.credits_used END,
    provider = COALESCE(c.provider, m.provider),
    provider_message_id = COALESCE(c.provider_message_id, m.provider_message_id),
    provider_error_code = c.provider_error_code,
    error_code = c.error_code,
    error_message = c.error_message,
    sent_at = CASE WHEN $1 = 'sent' THEN GREATEST(c.at, m.created_at) ELSE m.sent_at END,
    delivered_at = CASE WHEN $1 = 'delivered' OR $1 = 'read' AND m.delivered_at IS NULL THEN GREATEST(c.at, m.sent_at, m.created_at) ELSE m.delivered_at END,
    failed_at = CASE $1 WHEN 'failed' THEN GREATEST(c.at, m.sent_at, m.created_at) WHEN 'delivered' THEN NULL ELSE m.failed_at END,
    read_at = CASE WHEN $1 = 'read' THEN GREATEST(c.at, m.sent_at, m.delivered_at) ELSE m.read_at END
  FROM ${recordset('$2', 'c', givenChanges)}
  WHERE m.id = c.id AND m.id = ANY($6::uuid[]) AND m.status = ANY($3::text[]) AND ($4::text[] IS NULL OR m.status_detail = ANY($4::text[]))
  RETURNING ${namesOf(statusColumns, 'm')}`;

const update = subscribed(moved, '$5');

/**
 * A failure before hand-off costs nothing: `credits_used` becomes 0, and the entry's reference makes the refund happen once. What later steps of
 * a chain take over is not refunded.
 */
async function refundFailed(
  db: Database,
  transaction: Transaction,
  failed: StatusRow[],
  refundAs?: Omit<Posting, 'amount'>,
): Promise<void> {
  const refunded = failed.filter(({ credits_used, cost }) => credits_used === 0 && cost > 0);
  // Changes messages, which are locked before workspaces.
  const ofChains = refundAs === undefined ? await takeOverCharges(db, transaction, refunded) : new Map<string, ChainRefund>();
  // Locks workspaces in the order of their ids: see `inTransaction`.
  const byWorkspace = refunded.toSorted((one, other) => (one.workspace_id < other.workspace_id ? -1 : 1));
  for (const [workspaceId, rows] of groupBy(byWorkspace, ({ workspace_id }) => workspace_id)) {
    const each = rows.map((row) => refundOf(row, ofChains.get(row.id))).filter(({ amount }) => amount > 0);
    const [first] = each;
    if (first === undefined) continue;
    const sum = each.reduce((total, { amount }) => total + amount, 0);
    await refund(db, transaction, workspaceId, refundAs === undefined ? each : [{ ...refundAs, amount: sum, debit: first.debit }]);
  }
}

function refundOf({ id, batch_id, cost, channel, error_code }: StatusRow, ofChain?: ChainRefund): Refund {
  const { amount, debit } = ofChain ?? { amount: cost, debit: batch_id ?? id };
  const taken = cost - amount;
  const rest = taken === 0 ? '' : `, less ${formatCredits(taken)} for its fallback`;
  return { reference: id, debit, amount, description: `Refund: ${channel} message ${error_code ?? 'failed'}${rest}` };
}
