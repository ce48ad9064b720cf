/** Accepts messages, each exactly once for its idempotency key. */
import { idempotencyMismatch, internal } from '../../models/errors.js';
import { Message, type MessageRow, type NewMessage } from '../../models/tables/message.js';
import { fallbackAfterMs } from '../../models/operations/messages/fallback-chain.js';
import type { FallbackStep } from '../../models/rules/messages/fallback.js';
import { keysOf } from '../http/idempotency.js';
import { decide } from './decision.js';
import type { Deps } from '../deps.js';
import type { Caller } from '../http/caller.js';
import { assertAffordable } from '../auth/standing.js';

export interface Accepted {
  row: MessageRow;
  /** The request had come before; this is the row of that time. */
  isReplay: boolean;
}

/** How often a request tries again whose twin was refused between its look-up and its insert. */
const insertAttemptsMax = 3;

/**
 * The outcome of an earlier request with this idempotency key, waited for if it is still open; null when there is none.
 * @throws AppError 422 when that was another request, or one whose data were erased
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
 * Accepts a message, or nothing of it.
 * @throws AppError 402 when the balance or the limit of the day is short, 500 when nobody decided in time, 503 when too many wait: nothing is charged then
 * and nothing stays
 */
export async function acceptMessage(deps: Deps, caller: Caller, message: NewMessage, fallback: FallbackStep[] = []): Promise<Accepted> {
  assertAffordable(caller, message.cost);
  const { idempotency_key: key, request_digest: digest } = message;
  for (let attempt = 1; attempt <= insertAttemptsMax; attempt += 1) {
    const row = await deps.acceptGate.accept(message, fallback, caller.webhooks);
    if (row !== null) return { row, isReplay: false };
    // The key was taken since the look-up: by the same request, whose outcome is ours too, or by another one.
    const first = digest === null ? null : await findAccepted(deps, caller, key, digest);
    if (first !== null) return first;
  }
  throw internal(new Error('the idempotency key is taken again and again'), 1);
}
