/** Accepts messages, each exactly once for its idempotency key. */
import { apiMetrics } from '../../models/metrics/catalogue.js';
import { Message, type MessageRow, type NewMessage } from '../../models/tables/message.js';
import { fallbackAfterMs } from '../../models/operations/messages/fallback-chain.js';
import type { FallbackStep } from '../../models/rules/messages/fallback.js';
import { type AcceptedRow, acceptOnce, findFirstRequest } from './accept-once.js';
import { decideMessages } from './decide-messages.js';
import type { Deps } from '../deps.js';
import type { Caller } from '../http/caller.js';
import { assertCanPay } from '../auth/sending-rules.js';

export type AcceptedMessage = AcceptedRow<MessageRow>;

/**
 * The message of the first request with this idempotency key, once it is decided; null when there is none.
 * @throws AppError 422 when the first request was a different one, or its data were erased
 */
export async function findAccepted(
  deps: Deps,
  caller: Caller,
  key: string | null,
  digests: readonly (Buffer | null)[],
): Promise<AcceptedMessage | null> {
  const found = await findFirstRequest(deps, key, digests, (keys) =>
    Message.findOne({ where: { workspace_id: caller.workspaceId, idempotency_key: keys } }),
  );
  if (found === null) return null;
  const row = found.get() as MessageRow;
  if (row.status !== 'accepting') return { row, isReplay: true };
  const refusal = (await decideMessages(deps, [row], await fallbackAfterMs(deps.db, row.id))).get(row.id);
  if (refusal instanceof Error) throw refusal;
  return { row, isReplay: true };
}

interface GivenMessage {
  message: NewMessage;
  fallback: FallbackStep[];
  /** See `findFirstRequest`. */
  digests: readonly (Buffer | null)[];
}

/**
 * Accepts a message. When it throws, nothing is charged and nothing is stored.
 * @throws AppError 402 when the balance or the daily limit is too low, 500 when nothing was decided in time, 503 when too many requests wait
 */
export async function acceptMessage(deps: Deps, caller: Caller, { message, fallback, digests }: GivenMessage): Promise<AcceptedMessage> {
  try {
    assertCanPay(caller, message.cost);
  } catch (error) {
    apiMetrics.accepts.inc({ channel: message.channel, outcome: 'refused' });
    throw error;
  }
  return acceptOnce(
    () => deps.acceptGate.accept(message, fallback, caller.webhooks),
    () => findAccepted(deps, caller, message.idempotency_key, digests),
  );
}
