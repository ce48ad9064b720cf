/** Accepts single messages, exactly once per idempotency key. */
import { idempotencyMismatch, internal } from '../../models/errors.js';
import { Message, type MessageRow, type NewMessage } from '../../models/tables/message.js';
import { fallbackAfterMs } from '../../models/operations/messages/fallback-chain.js';
import type { FallbackStep } from '../../models/rules/messages/fallback.js';
import { keysOf } from '../http/idempotency.js';
import { decide } from './decision.js';
import type { Deps } from '../deps.js';
import type { Caller } from '../http/caller.js';
import { assertCanPay } from '../auth/sending-rules.js';

export interface Accepted {
  row: MessageRow;
  /** The request repeats an earlier one; `row` is the message of the earlier request. */
  isReplay: boolean;
}

/** How often an insert is tried. A retry is needed when a request with the same idempotency key was refused between look-up and insert. */
const insertAttemptsMax = 3;

/**
 * Finds the message of an earlier request with this idempotency key, and waits until it is accepted or refused; null when there is none.
 * @throws AppError 422 when the earlier request had a different body, or its data were erased
 */
export async function findAccepted(deps: Deps, caller: Caller, key: string | null, digest: Buffer): Promise<Accepted | null> {
  if (key === null) return null;
  const keys = await keysOf(deps, key);
  const found = await Message.findOne({ where: { workspace_id: caller.workspaceId, idempotency_key: keys } });
  if (found === null) return null;
  if (found.request_digest?.equals(digest) !== true) throw idempotencyMismatch();
  const row = found.get() as MessageRow;
  if (row.status !== 'accepting') return { row, isReplay: true };
  const decided = (await decide(deps, [row], await fallbackAfterMs(deps.db, row.id))).get(row.id);
  if (decided instanceof Error) throw decided;
  return { row, isReplay: true };
}

/**
 * Accepts a message.
 * @throws AppError 402 when the balance or the daily limit is too low, 500 when the workflow did not answer in time, 503 when too many
 * sends wait. Nothing is charged or stored then.
 */
export async function acceptMessage(deps: Deps, caller: Caller, message: NewMessage, fallback: FallbackStep[] = []): Promise<Accepted> {
  assertCanPay(caller, message.cost);
  const { idempotency_key: key, request_digest: digest } = message;
  for (let attempt = 1; attempt <= insertAttemptsMax; attempt += 1) {
    const row = await deps.acceptGate.accept(message, fallback, caller.webhooks);
    if (row !== null) return { row, isReplay: false };
    // Another request stored this key after our look-up. If it was the same request, its outcome is ours.
    const first = digest === null ? null : await findAccepted(deps, caller, key, digest);
    if (first !== null) return first;
  }
  throw internal(new Error('another request with the same idempotency key was stored and refused repeatedly'), 1);
}
