import { setTimeout as sleep } from 'node:timers/promises';
import type { Claim } from '../../models/operations/handoff/claim-handoffs.js';
import { erasureKey } from '../../models/operations/erasure/erasure-key.js';
import { recordHandoffs } from '../../models/operations/handoff/record-handoffs.js';
import { providerDeadlineMs } from '../../models/rules/routing/provider-deadline.js';
import { observeHandoff } from '../../models/metrics/observe.js';
import { verdictOf, AccountRejections } from './account-faults.js';
import { AnswerRecorder } from './answer-recorder.js';
import { callDeadlines } from './call-deadline.js';
import { claimRound } from './claim-round.js';
import { shortWaitMsMax } from './next-try.js';
import { recordIsolatingRefused } from './record-isolating-refused.js';
import type { ReservedConnections } from './reserve-connections.js';
import type { RoundDeps } from './round-deps.js';
import type { GroupSlot } from './group-slot.js';
import { type Handoff, handOff } from './hand-off.js';
import { traceHandoff } from './trace-handoff.js';
import { persist } from '../support/persist.js';
import type { RoundRoute } from './routing.js';

export interface RoundLimits {
  /** Maximum number of messages. */
  limit: number;
  /** Released when the calls have begun. */
  reserved: ReservedConnections;
  /** A rate or a limit sets the time of each round, so a round does not wait for the one before. */
  isPaced: boolean;
}

/** After this time the next round begins, while a slow round continues. The next one may use another account. */
const roundMsMax = 1_000;
const roundsAtOnceMax = 4;
/** Maximum of parallel calls with a rate or a limit: the size of a page. */
const pacedCallsMax = 250;

/**
 * The rounds of one dispatch of a group. Each message is tried once with each account of its channel, until one has taken it, or rejected it
 * for a reason that is not the account's own. It is tried again with the same account only if that account throttled it.
 */
export class Rounds {
  readonly #tried: string[] = [];
  /** Message → number of failed calls, for messages that continue with another account. */
  readonly #failures = new Map<string, number>();
  readonly #running = new Map<Promise<void>, readonly string[]>();
  readonly #accountRejections: AccountRejections;
  #failure: { error: unknown } | undefined;
  #ended = 0;
  #mayHaveMore = false;
  /** Messages that must not be sent have failed in a claim. */
  hasFailedByRule = false;
  /** The last round left channels out and found no other message to claim. The next one would not either, so it waits for the accounts of all. */
  waitsForAll = false;
  /** The `Retry-After` of an unavailable provider. */
  retryAfterMs = 0;

  constructor(
    private readonly deps: RoundDeps,
    private readonly slot: GroupSlot,
  ) {
    this.#accountRejections = new AccountRejections(deps);
  }

  /** Messages to leave out in further rounds. */
  get excluded(): readonly string[] {
    return [...this.#tried, ...[...this.#running.values()].flat()];
  }

  /** How many messages were taken or rejected. */
  get endedCount(): number {
    return this.#ended;
  }

  /** Messages were tried, and none was taken or rejected. */
  get tookNothing(): boolean {
    return this.#tried.length > 0 && this.#ended === 0;
  }

  /** Claims messages, calls their providers in parallel and records the outcomes. @returns whether more messages may be due */
  async next({ choices, resting, isProbe }: RoundRoute, { limit, reserved, isPaced }: RoundLimits): Promise<boolean> {
    const { without } = reserved;
    const limits = { limit, except: this.excluded, inBatch: this.slot.inBatch, without, resting, waits: this.deps.waits };
    const claimed = await claimRound(this.deps, this.slot.groupId, choices, limits);
    if (claimed === 'late') return true;
    const { claims } = claimed;
    this.hasFailedByRule ||= claimed.hasFailedByRule;
    this.waitsForAll = claims.length === 0 && without.length > 0;
    if (claims.length > 0) {
      // After a probe, the next round has the other accounts.
      const routes = isProbe ? this.deps.providers.routes : undefined;
      const accountsOf = ({ channel }: Claim) => (routes?.[channel] ?? choices[channel].accounts).length;
      this.#begin(claims, this.#call(claims, accountsOf, reserved));
    } else reserved.release();
    const hasMore = claimed.hasMore && (claims.length === limit || without.length > 0);
    // A probe may take long, so the other messages do not wait for it.
    if (hasMore && (isProbe || (await this.#mayBeginNext(isPaced)))) return true;
    await this.finish();
    const mayHaveMore = this.#mayHaveMore || hasMore;
    this.#mayHaveMore = false;
    return mayHaveMore;
  }

  /** Waits until every call has ended and its answer is recorded. @throws the first error, after all have ended */
  async finish(): Promise<void> {
    await Promise.allSettled(this.#running.keys());
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #begin(claims: readonly Claim[], work: Promise<void>): void {
    const round = work.finally(() => this.#running.delete(round));
    round.catch((error: unknown) => {
      this.#failure ??= { error };
    });
    this.#running.set(
      round,
      claims.map(({ id }) => id),
    );
  }

  /** Waits until the next round may begin. @returns false when all running calls have to end first */
  async #mayBeginNext(isPaced: boolean): Promise<boolean> {
    if (isPaced) return [...this.#running.values()].flat().length < pacedCallsMax;
    const timer = new AbortController();
    const late = sleep(roundMsMax, 'late', { signal: timer.signal }).catch(() => 'late');
    await Promise.race([Promise.allSettled(this.#running.keys()), late]);
    timer.abort();
    return this.#running.size < roundsAtOnceMax;
  }

  async #call(claims: readonly Claim[], accountsOf: (claim: Claim) => number, reserved: ReservedConnections): Promise<void> {
    const { db, providers } = this.deps;
    const key = await erasureKey(db, this.deps.secretKeys); // known since the claim
    const deadlines = callDeadlines(claims.length);
    const signalFor = ({ account }: Claim) => deadlines.signalAfter(providers.accounts.get(account)?.deadlineMs ?? providerDeadlineMs);
    const answers = new AnswerRecorder((results) =>
      persist('record answers of a provider', () => recordIsolatingRefused((some) => recordHandoffs(db, some, key), results), this.deps),
    );
    const calls = claims.map(async (claim) => {
      const handoff = await this.#handOff(claim, signalFor(claim));
      answers.add(handoff.result);
      return { ...handoff, accounts: accountsOf(claim) };
    });
    reserved.release();
    const handoffs = await Promise.all(calls);
    deadlines.clear();
    const noted = this.#note(handoffs);
    noted.catch(() => undefined); // awaited below, after the answers are recorded
    await answers.end();
    await noted;
  }

  async #handOff(claim: Claim, signal: AbortSignal): Promise<Handoff> {
    const { providers, health } = this.deps;
    const call = health.begin(claim.account);
    const endCall = this.slot.beginCall(claim.account);
    const begun = performance.now();
    const end = traceHandoff(claim, this.slot.inBatch);
    const answered = await handOff(providers.accounts.get(claim.account), claim, signal).finally(endCall);
    health.end(call, verdictOf(answered));
    const handoff = this.#accountRejections.judge(claim, answered);
    end(handoff.result);
    observeHandoff(claim.channel, handoff, begun);
    return handoff;
  }

  async #note(handoffs: readonly (Handoff & { accounts: number })[]): Promise<void> {
    const { throughput } = this.deps;
    const patience = new Map<string, number>();
    for (const { result, retryAfterMs, accounts } of handoffs) {
      const { id, provider, outcome } = result;
      if (outcome === 'throttled') {
        patience.set(provider, Math.max(patience.get(provider) ?? 0, retryAfterMs));
        this.#mayHaveMore = true;
        continue;
      }
      if (outcome === 'retryable' && this.#hasAnother(id, accounts)) continue;
      this.#tried.push(id);
      if (outcome === 'accepted') throughput.took(provider);
      if (outcome === 'accepted' || outcome === 'rejected') this.#ended += 1;
      else this.retryAfterMs = Math.max(this.retryAfterMs, accounts > 1 ? Math.min(retryAfterMs, shortWaitMsMax) : retryAfterMs);
    }
    for (const [provider, forMs] of patience) await throughput.hold(provider, forMs);
  }

  /** Whether another account is left to try at once. The message was certainly not taken. */
  #hasAnother(id: string, accounts: number): boolean {
    const failures = (this.#failures.get(id) ?? 0) + 1;
    this.#failures.set(id, failures);
    this.#mayHaveMore ||= failures < accounts;
    return failures < accounts;
  }
}
