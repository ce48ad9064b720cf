/**
 * How fast providers are called: not faster than their limits, by all workers together, and not at all while one has asked for
 * patience. Waiting for that is no failure: it takes nothing of the time that a message has to be handed off.
 */
import type { Database } from '../../models/db/database.js';
import type { Choices } from '../../models/operations/handoff/claim-handoffs.js';
import { dueUnits, heldProviders, holdProvider, reserveSlot, type Slot } from '../../models/operations/handoff/provider-pace.js';
import { noWaits, type UncertainWaits } from '../../models/operations/handoff/uncertain-handoffs.js';

/** A round that wants to begin. */
export interface RoundRequest {
  groupId: string;
  /** Most messages. */
  size: number;
  /** Ids that are left out. */
  except: readonly string[];
  /** Latest begin for which time is reserved. */
  horizonMs: number;
}

/** A hold of another worker is known after so long. */
const holdsAgeMsMax = 1_000;
/** Where a provider does not say for how long it wants to be left alone: doubled each time until it takes something. */
const holdMsFirst = 1_000;
const holdMsUnasked = 60_000;
/** A provider is asked again after this time at the latest. */
const holdMsMax = 15 * 60_000;

export class Throughput {
  /** Ends of the holds by `Date.now()`. */
  readonly #holds = new Map<string, number>();
  #holdsReadAt = Number.NEGATIVE_INFINITY;
  /** Holds since a provider last took something. */
  readonly #refusals = new Map<string, number>();

  /**
   * @param limits messages a second by provider, segments of sms; who is not there has no limit
   * @param waits those of the claims: what is left alone asks for no time
   */
  constructor(
    private readonly db: Database,
    private readonly limits: Readonly<Record<string, number>>,
    private readonly waits: UncertainWaits = noWaits,
  ) {}

  /** Messages a second that this provider takes. */
  limitOf(provider: string): number {
    return this.limits[provider] ?? Number.POSITIVE_INFINITY;
  }

  /** Asks for the time of the accounts that a round goes by: when it may begin. Costs nothing while none is limited or held. */
  async admit({ groupId, size, except, horizonMs }: RoundRequest, choices: Choices): Promise<Slot> {
    await this.#readHolds();
    const begin: Slot = { waitMs: 0, isReserved: true };
    const accounts = Object.values(choices).flatMap((choice) => choice.accounts.map(({ account }) => account));
    if (this.#holds.size === 0 && !accounts.some((account) => account in this.limits)) return begin;
    for (const { provider, units } of await dueUnits(this.db, groupId, choices, { limit: size, except, waits: this.waits })) {
      const { waitMs, isReserved } = await this.#slotOf(provider, units, horizonMs);
      begin.waitMs = Math.max(begin.waitMs, waitMs);
      begin.isReserved &&= isReserved;
    }
    return begin;
  }

  /** Whether it has asked for patience, as it was known a second ago. */
  isHeld(provider: string): boolean {
    return (this.#holds.get(provider) ?? 0) > Date.now();
  }

  /** Whether some provider is held. */
  async isHolding(): Promise<boolean> {
    await this.#readHolds();
    return this.#holds.size > 0;
  }

  /** The provider takes messages. */
  took(provider: string): void {
    this.#refusals.delete(provider);
  }

  /** The provider has asked for patience: nobody calls it for this time; 0: it did not say for how long. */
  async hold(provider: string, wantedMs: number): Promise<void> {
    const refusals = this.#refusals.get(provider) ?? 0;
    this.#refusals.set(provider, refusals + 1);
    const forMs = wantedMs > 0 ? Math.min(wantedMs, holdMsMax) : Math.min(holdMsFirst * 2 ** refusals, holdMsUnasked);
    this.#note(provider, Date.now() + forMs);
    await holdProvider(this.db, provider, forMs);
  }

  async #slotOf(provider: string, units: number, horizonMs: number): Promise<Slot> {
    const perSecond = this.limitOf(provider);
    if (Number.isFinite(perSecond)) return reserveSlot(this.db, { provider, units, perSecond, horizonMs });
    const waitMs = Math.max(0, (this.#holds.get(provider) ?? 0) - Date.now());
    return { waitMs, isReserved: waitMs <= horizonMs };
  }

  async #readHolds(): Promise<void> {
    const now = Date.now();
    if (now - this.#holdsReadAt < holdsAgeMsMax) return;
    this.#holdsReadAt = now;
    const held = await heldProviders(this.db);
    for (const [provider, until] of this.#holds) if (until <= now) this.#holds.delete(provider);
    for (const { provider, left_ms } of held) this.#note(provider, now + left_ms);
  }

  #note(provider: string, until: number): void {
    this.#holds.set(provider, Math.max(this.#holds.get(provider) ?? 0, until));
  }
}
