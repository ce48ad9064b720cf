import type { Claim } from '../../models/operations/handoff/claim-handoffs.js';
import { handoffUnknown } from '../../models/rules/messages/error-codes.js';
import { notKnownYet } from '../../models/operations/handoff/uncertain-handoffs.js';
import type { HandoffResult } from '../../models/operations/handoff/record-handoffs.js';
import { hasStorableTexts } from '../../models/rules/values/text.js';
import type { Provider, SendOutcome } from './providers/provider.js';

/** The result to record, and what else the provider said. */
export interface Handoff {
  result: HandoffResult;
  /** How long the provider asked to wait (`Retry-After`); 0 if it did not. */
  retryAfterMs: number;
  /** The failure concerns this recipient only. */
  concernsRecipient: boolean;
  /** No call was made. */
  isUncalled: boolean;
}

/**
 * Calls a provider once. If an earlier call may have reached a provider without idempotency keys, it first queries the outcome of that call. If
 * the outcome cannot be found, the message fails and is refunded, because it must not be sent twice. Such a message is claimed only after it
 * has waited for its delivery report (see uncertain-handoffs.ts).
 */
export async function handOff(provider: Provider | undefined, claim: Claim, signal: AbortSignal): Promise<Handoff> {
  const outcome = usable(provider === undefined ? withoutAccount(claim) : await callOnce(provider, claim, signal));
  const retryAfterMs = 'retryAfterMs' in outcome ? (outcome.retryAfterMs ?? 0) : 0;
  const result = { ...outcome, id: claim.id, attempt: claim.attempt, provider: claim.account };
  return {
    result,
    retryAfterMs,
    concernsRecipient: 'concernsRecipient' in outcome,
    isUncalled: provider === undefined || 'isUncalled' in outcome,
  };
}

/** Longer than any id of a carrier. An index of PostgreSQL takes texts of about 2,700 bytes. */
const idLengthMax = 500;

/** An answer that cannot be stored must not prevent the storing of others. It leaves open whether the provider has the message. */
const usable = (outcome: SendOutcome): SendOutcome =>
  hasStorableTexts(outcome) && (outcome.outcome !== 'accepted' || outcome.provider_message_id.length <= idLengthMax)
    ? outcome
    : { outcome: 'unknown', detail: 'unusable response' };

/** The account is not in the settings any more, so an earlier call cannot be queried. */
const withoutAccount = ({ uncertain }: Claim): SendOutcome =>
  uncertain ? { outcome: 'rejected', ...handoffUnknown } : { outcome: 'retryable', detail: 'no such account' };

async function callOnce(provider: Provider, claim: Claim, signal: AbortSignal): Promise<SendOutcome> {
  const isQuery = claim.uncertain && !provider.idempotent;
  try {
    if (!isQuery) return await provider.send(claim, signal);
    const found = await provider.reconcile?.(claim, signal);
    return found === undefined ? { outcome: 'rejected', ...handoffUnknown } : { outcome: 'accepted', provider_message_id: found };
  } catch (error) {
    // Nothing was sent. Counted as a further call, it would restart the wait for the earlier one.
    if (isQuery) return { outcome: 'unknown', detail: notKnownYet };
    // An adapter must not throw. If it does, the outcome of the call is unknown.
    return { outcome: 'unknown', detail: error instanceof Error ? error.name : 'error' };
  }
}
