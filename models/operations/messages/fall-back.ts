import type { Channel } from '../../channels.js';
import { type Database, inTransaction, select, type Transaction } from '../../db/database.js';
import type { Fallback } from '../../tables/fallback.js';
import type { MessageRow, NewMessage } from '../../tables/message.js';
import { costOfStep, type FallbackStep, fallbackVerdict, type MessageBefore } from '../../rules/messages/fallback.js';
import { debitDescription } from './accept-one.js';
import { isBeingCalled } from '../handoff/uncertain-handoffs.js';
import { countGroupWork } from './count-group-work.js';
import { insertMessages } from './insert-messages.js';
import { countFree, debit } from '../billing/post-credits.js';
import { cancelling } from './cancel-messages.js';
import { messageOfStep } from './message-of-step.js';
import { recordStatuses } from './record-statuses.js';
import { traceStep } from './trace-step.js';

/** The message that is sent as the next step. Its workflow must be started. */
export interface NextFallback {
  /** Also the id of the message: it is alone in its group. */
  groupId: string;
  workspaceId: string;
  channel: Channel;
  /** How long it has to be delivered before the step after it is sent; null: it is the last step. */
  fallbackAfterMs: number | null;
}

export interface FallenBack {
  next: NextFallback | null;
  /** Undecided: the caller asks again when the message's time is over. */
  waits: boolean;
  /** How many deliveries of the group are due. */
  deliveries: number;
}

type Decision = Partial<Omit<FallenBack, 'deliveries'>> & {
  /** The message before `next`, if that was stored now. */
  before?: MessageRow;
};

type Chain = Pick<Fallback, 'steps' | 'outcome' | 'next_id'> & {
  /** The account was closed. Nothing more is sent for it. */
  is_closed: boolean;
};

/**
 * Decides whether the next step of its chain follows the message of a group. If so, stores, charges and queues it as a message of its own,
 * and gives up the first one if it was certainly not handed off, with a refund. This is decided once: a second call returns the same.
 * @param isDue the message's time is over
 * @param workflowIdOf the id of the workflow that will drive a message
 */
export async function fallBack(
  db: Database,
  groupId: string,
  isDue: boolean,
  workflowIdOf: (messageId: string) => string,
): Promise<FallenBack> {
  const decideIf = (canPay: boolean) =>
    inTransaction(db, (transaction) => decideNext(db, transaction, { groupId, isDue, workflowIdOf, canPay }));
  const {
    before,
    next = null,
    waits = false,
  } = await decideIf(true).catch((error: unknown) => {
    if (error instanceof Unaffordable) return decideIf(false);
    throw error;
  });
  if (before !== undefined && next !== null) traceStep(before, { ...next, id: next.groupId });
  return { next, waits, deliveries: (await countGroupWork(db, groupId)).deliveries };
}

/** The next step cannot be paid. It rolls the transaction back, so that the message before it is not given up: nothing would be sent in its place. */
class Unaffordable extends Error {}

interface FallbackRequest {
  groupId: string;
  isDue: boolean;
  workflowIdOf: (messageId: string) => string;
  /** False after a try has shown that the balance is too low. */
  canPay: boolean;
}

async function decideNext(db: Database, transaction: Transaction, request: FallbackRequest): Promise<Decision> {
  const { groupId, isDue, workflowIdOf, canPay } = request;
  const [message] = await select<MessageRow & MessageBefore>(db, lockMessage, [groupId], transaction);
  if (message === undefined) return {};
  const [chain] = await select<Chain>(db, ofMessage, [message.id], transaction);
  if (chain === undefined) return {};
  if (chain.outcome !== null) return chain.next_id === null ? {} : { next: await nextOf(db, transaction, chain.next_id) };
  const verdict = chain.is_closed ? 'over' : fallbackVerdict(message, isDue);
  if (verdict === 'wait' || (verdict === 'now' && (await mayBeRefunded(db, transaction, message)))) return { waits: true };
  if (verdict === 'over' || !canPay) {
    await storeOutcome(db, transaction, message.id, { outcome: verdict === 'over' ? 'not_needed' : 'unaffordable' });
    return {};
  }
  return { before: message, next: await storeNextStep(db, transaction, { before: message, steps: chain.steps, workflowIdOf }) };
}

const lockMessage = `
  SELECT *, COALESCE(expires_at <= clock_timestamp(), false) AS has_expired FROM messages WHERE group_id = $1 FOR UPDATE`;

// If the account is closed a moment later, the watcher finds the next step among the messages to cancel.
const ofMessage = `
  SELECT f.steps, f.outcome, f.next_id, w.closed_at IS NOT NULL AS is_closed
  FROM fallbacks f JOIN messages m ON m.id = f.message_id JOIN workspaces w ON w.id = m.workspace_id WHERE f.message_id = $1 FOR UPDATE OF f`;

/**
 * Whether a call for the message is in progress. If the carrier then refuses it, it is refunded, and the step that was sent meanwhile would
 * have been paid with that money.
 */
async function mayBeRefunded(db: Database, transaction: Transaction, { id, status, channel }: MessageRow): Promise<boolean> {
  if (status !== 'queued') return false;
  const [found] = await select<{ is_called: boolean }>(db, `SELECT ${isBeingCalled('$1', channel)} AS is_called`, [id], transaction);
  return found?.is_called === true;
}

async function storeOutcome(
  db: Database,
  transaction: Transaction,
  id: string,
  { outcome, nextId = null }: { outcome: NonNullable<Chain['outcome']>; nextId?: string | null },
): Promise<void> {
  const sql = 'UPDATE fallbacks SET outcome = $2, next_id = $3, decided_at = now() WHERE message_id = $1';
  await select(db, sql, [id, outcome, nextId], transaction);
}

async function nextOf(db: Database, transaction: Transaction, id: string): Promise<NextFallback | null> {
  const [next] = await select<NextFallback>(db, findNextStep, [id], transaction);
  return next ?? null;
}

const findNextStep = `
  SELECT m.group_id AS "groupId", m.workspace_id AS "workspaceId", m.channel, (f.steps -> 0 ->> 'after')::integer * 1000 AS "fallbackAfterMs"
  FROM messages m LEFT JOIN fallbacks f ON f.message_id = m.id WHERE m.id = $1`;

interface NextStep {
  before: MessageRow;
  /** The next step, and those after it. */
  steps: FallbackStep[];
  workflowIdOf: (messageId: string) => string;
}

/** @throws Unaffordable if the balance is too low for the next step */
async function storeNextStep(
  db: Database,
  transaction: Transaction,
  { before, steps, workflowIdOf }: NextStep,
): Promise<NextFallback | null> {
  const [step, ...fallback] = steps;
  if (step === undefined) return null;
  await failAsExpired(db, transaction, before);
  const [sum] = await select<{ charged: number }>(db, chargedSoFar, [before.id], transaction);
  const message = messageOfStep(before, step, costOfStep(step.price, sum?.charged ?? 0));
  const { id, group_id: groupId, status_detail } = message;
  const [row] = await insertMessages(db, { groupId, workflowId: workflowIdOf(id), messages: [message], fallback }, transaction);
  if (row === undefined) throw new Error('INSERT … RETURNING gave no row for a fallback step');
  if (!(await chargeStep(db, transaction, message))) throw new Unaffordable();
  await recordStatuses(db, transaction, { to: 'queued', changes: [{ id, status_detail, at: new Date() }] });
  await storeOutcome(db, transaction, before.id, { outcome: 'sent', nextId: id });
  return nextOf(db, transaction, id);
}

/** @returns false if the balance is below the cost of the step */
async function chargeStep(db: Database, transaction: Transaction, { id, workspace_id: workspaceId, cost }: NewMessage): Promise<boolean> {
  if (cost === 0) {
    await countFree(db, transaction, workspaceId);
    return true;
  }
  const sql = `SELECT ${debitDescription} AS description FROM messages WHERE id = $1`;
  const [entry] = await select<{ description: string }>(db, sql, [id], transaction);
  const payment = { reference: id, amount: cost, description: entry?.description ?? '', messages: 1 };
  return (await debit(db, transaction, workspaceId, [payment])).paid.length > 0;
}

/** Only if no call is in progress: the message would arrive beside the next step. */
async function failAsExpired(db: Database, transaction: Transaction, { id }: MessageRow): Promise<void> {
  const change = {
    id,
    status_detail: 'expired',
    at: new Date(),
    error_code: 'expired',
    error_message: 'The message was not handed to the carrier in time; its fallback was sent instead',
  } as const;
  await recordStatuses(db, transaction, { ...cancelling, changes: [change] });
}

/** The cost of this message and those before it. */
const chargedSoFar = `
  WITH RECURSIVE chain AS (
    SELECT id, credits_used FROM messages WHERE id = $1
    UNION ALL SELECT m.id, m.credits_used FROM chain JOIN fallbacks f ON f.next_id = chain.id JOIN messages m ON m.id = f.message_id
  )
  SELECT sum(credits_used)::bigint AS charged FROM chain`;
