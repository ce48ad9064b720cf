/** Rejections for which no message is at fault: the account is locked, not registered, or has used up its credit. */
import type { Claim } from '../../models/operations/handoff/claim-handoffs.js';
import { type FailureCode, handoffUnknown } from '../../models/rules/messages/error-codes.js';
import type { CallVerdict } from './account-health.js';
import type { Handoff } from './hand-off.js';
import type { RoundDeps } from './round-deps.js';

const senderRefused: FailureCode = 'sender_refused';
const limitExceeded: FailureCode = 'limit_exceeded';
const faultsOfAccount: ReadonlySet<string> = new Set([senderRefused, limitExceeded]);

/** The result of a call for the health of its account. */
export function verdictOf({ result, concernsRecipient, isUncalled }: Handoff): CallVerdict {
  if (isUncalled) return 'none';
  if (result.outcome === 'accepted') return 'good';
  if (result.outcome === 'throttled') return 'none'; // throttling has its own hold
  if (concernsRecipient) return 'good';
  if (result.outcome !== 'rejected') return 'bad';
  // No call was made: the outcome of an earlier call could not be found.
  if (result.error_code === handoffUnknown.error_code) return 'none';
  return faultsOfAccount.has(result.error_code) ? 'bad' : 'good';
}

/** The rejections of one dispatch. */
export class AccountRejections {
  /** Message → accounts that rejected it for their own faults. */
  readonly #by = new Map<string, Set<string>>();

  constructor(private readonly deps: Pick<RoundDeps, 'providers' | 'health'>) {}

  /**
   * @returns what to record. A rejection because of the account is `retryable` while another account has not rejected the message, so that the
   *   message goes to that one. If an earlier call may have reached this account, no other may get the message, and the rejection is final
   */
  judge(claim: Claim, handoff: Handoff): Handoff {
    const { result } = handoff;
    if (result.outcome !== 'rejected' || !faultsOfAccount.has(result.error_code) || claim.uncertain) return handoff;
    const by = (this.#by.get(claim.id) ?? new Set()).add(claim.account);
    this.#by.set(claim.id, by);
    if (!this.#mayTake(claim, handoff).some((account) => !by.has(account))) return handoff;
    const { id, attempt, provider, error_code, provider_error_code } = result;
    return { ...handoff, result: { id, attempt, provider, outcome: 'retryable', detail: provider_error_code ?? error_code } };
  }

  /** The accounts of the channel for which the reason of the rejection does not hold. A failing account may work again later. */
  #mayTake({ channel }: Claim, { result, concernsRecipient }: Handoff): string[] {
    const accounts = this.deps.providers.routes[channel].map(({ account }) => account);
    if (!concernsRecipient) return accounts;
    // The limit of a recipient holds for every account. A sender that does not fit the recipient is only worth a try elsewhere at once.
    const isLimit = result.outcome === 'rejected' && result.error_code === limitExceeded;
    return isLimit ? [] : accounts.filter((account) => this.deps.health.levelOf(account) > 0);
  }
}
