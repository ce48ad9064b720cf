/**
 * Limits the calls to provider accounts. All workers together stay below the limit of an account, and an account that throttles is not called for a
 * while (a hold). Waiting for capacity is not a failure, and does not use up the time for the hand-off.
 */
import type { Database } from '../../models/db/database.js';
import type { Choices } from '../../models/operations/handoff/claim-handoffs.js';
import { dueUnits, heldAccounts, holdAccount, reserveSlot, type Slot } from '../../models/operations/handoff/provider-pace.js';
import { providerWaitMsMax } from '../../models/rules/routing/provider-deadline.js';
import type { UncertainWaits } from '../../models/operations/handoff/uncertain-handoffs.js';
import { withLaterJitter } from './jitter.js';

/** A round that wants to begin. */
export interface RoundRequest {
  groupId: string;
  /** Maximum number of messages. */
  size: number;
  /** Ids to leave out. */
  except: readonly string[];
  /** How far ahead a slot may be reserved. */
  horizonMs: number;
  /** The same for a wait for the end of a hold of an account without a limit, for which nothing is stored. */
  holdHorizonMs: number;
}

/** After this time a worker knows the holds of the others. */
const holdsAgeMsMax = 1_000;
/** Hold without a `Retry-After`: doubles each time until the account takes a message. */
const holdMsFirst = 1_000;
const holdMsUnasked = 60_000;

export class Throughput {
  /** Ends of the holds by `performance.now()`. */
  readonly #holds = new Map<string, number>();
  #holdsReadAt = Number.NEGATIVE_INFINITY;
  /** Number of holds since the account last took a message. */
  readonly #holdsInRow = new Map<string, number>();

  /**
   * @param limits messages (for sms: segments) a second by account; an account that is missing has no limit
   * @param waits as for claims, so that messages that are not claimed reserve no slot
   */
  constructor(
    private readonly db: Database,
    private readonly limits: Readonly<Record<string, number>>,
    private readonly waits: UncertainWaits,
  ) {}

  /** The limit of this account in messages (for sms: segments) a second. */
  limitOf(account: string): number {
    return this.limits[account] ?? Number.POSITIVE_INFINITY;
  }

  /** Reserves slots with the accounts of a round. Costs nothing while none has a limit or a hold. */
  async admit({ groupId, size, except, ...horizons }: RoundRequest, choices: Choices): Promise<Slot> {
    await this.#readHolds();
    const slot: Slot = { waitMs: 0, isReserved: true };
    const accounts = Object.values(choices).flatMap((choice) => choice.accounts.map(({ account }) => account));
    if (this.#holds.size === 0 && !accounts.some((account) => account in this.limits)) return slot;
    for (const { account, units } of await dueUnits(this.db, groupId, choices, { limit: size, except, waits: this.waits })) {
      const { waitMs, isReserved } = await this.#slotOf(account, units, horizons);
      slot.waitMs = Math.max(slot.waitMs, waitMs);
      slot.isReserved &&= isReserved;
    }
    return slot;
  }

  /** Whether the account has a hold. Up to a second old. */
  isHeld(account: string): boolean {
    return (this.#holds.get(account) ?? 0) > performance.now();
  }

  /** Whether an account that the round would call has a hold. */
  async hasHeldAccount({ groupId, size, except }: Pick<RoundRequest, 'groupId' | 'size' | 'except'>, choices: Choices): Promise<boolean> {
    await this.#readHolds();
    if (this.#holds.size === 0) return false;
    const due = await dueUnits(this.db, groupId, choices, { limit: size, except, waits: this.waits });
    return due.some(({ account }) => this.isHeld(account));
  }

  /** Notes that the account took a message. */
  took(account: string): void {
    this.#holdsInRow.delete(account);
  }

  /** Sets a hold for an account that throttled. @param wantedMs its `Retry-After`; 0 if it gave none */
  async hold(account: string, wantedMs: number): Promise<void> {
    const before = this.#holdsInRow.get(account) ?? 0;
    this.#holdsInRow.set(account, before + 1);
    const forMs = wantedMs > 0 ? Math.min(wantedMs, providerWaitMsMax) : Math.min(holdMsFirst * 2 ** before, holdMsUnasked);
    this.#note(account, performance.now() + forMs);
    await holdAccount(this.db, account, forMs);
  }

  async #slotOf(
    account: string,
    units: number,
    { horizonMs, holdHorizonMs }: Pick<RoundRequest, 'horizonMs' | 'holdHorizonMs'>,
  ): Promise<Slot> {
    const perSecond = this.limitOf(account);
    if (Number.isFinite(perSecond)) return reserveSlot(this.db, { account, units, perSecond, horizonMs });
    const waitMs = Math.max(0, (this.#holds.get(account) ?? 0) - performance.now());
    return waitMs <= holdHorizonMs ? { waitMs: withLaterJitter(waitMs), isReserved: true } : { waitMs, isReserved: false };
  }

  async #readHolds(): Promise<void> {
    const now = performance.now();
    if (now - this.#holdsReadAt < holdsAgeMsMax) return;
    this.#holdsReadAt = now;
    const held = await heldAccounts(this.db);
    for (const [account, until] of this.#holds) if (until <= now) this.#holds.delete(account);
    for (const { account, left_ms } of held) this.#note(account, now + left_ms);
  }

  #note(account: string, until: number): void {
    this.#holds.set(account, Math.max(this.#holds.get(account) ?? 0, until));
  }
}
