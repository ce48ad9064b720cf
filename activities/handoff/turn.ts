import { setTimeout as sleep } from 'node:timers/promises';
import { activityInfo } from '@temporalio/activity';
import { type BatchPace, queuedBeforePage, reserveSlots } from '../../models/operations/batches/batch-pace.js';
import type { Choices } from '../../models/operations/handoff/claim-handoffs.js';
import { reserveConnections, type ReservedConnections, unreserved } from './reserve-connections.js';
import { longestRetryWaitMs, msLeft } from './next-try.js';
import type { RoundDeps } from './round-deps.js';
import type { GroupSlot } from './group-slot.js';
import type { RoundRoute } from './routing.js';
import { withEarlierJitter, withJitter, withLaterJitter } from './jitter.js';
import type { RoundRequest } from './throughput.js';

/** A wait of up to this time is spent in the slot of the activity. A longer one frees the slot for others. */
const waitInSlotMsMax = 2_000;
/** The same for pages. They have few slots, and a batch with a low rate must not occupy those of other workspaces. */
const pageWaitInSlotMsMax = 500;
/** A page whose account has its share of the slots looks again after this time at the earliest, and in the order of a batch with this rate. */
const slowAccountWait = { minMs: 5_000, perSecond: 250 };
/** Longer than a turn of all pages at a slow mail server: a round that waits no longer loses its place. */
const connectionWaitMsMax = 60_000;
/** When a group tries again that waited for a connection in vain, or of which a message expired meanwhile. */
const connectionRetryMs = 1_000;
/** How far ahead a time is reserved at most. A longer wait ends earlier, because a higher limit may be set meanwhile. */
const horizonMs = 10 * 60_000;
/** Pages reserve only this far ahead, so that a new single message does not wait behind pages. */
const pageHorizonMs = 250;
/** A page asks again after this time at the latest, because a higher limit may be set meanwhile. */
const pageWaitMsMax = 3_600_000;
/** A reservation expires this long after its time. Otherwise many late groups would call at once. */
const reservationAgeMsMax = 5_000;

export interface TurnTarget {
  groupId: string;
  slot: GroupSlot;
  /** Of a page. */
  batchId: string | undefined;
  /** Aborted when the activity has to end. */
  signal: AbortSignal;
  /** By `performance.now()`. After this time the activity waits only for reserved slots. */
  sliceEndsAt: number;
}

export interface WantedRound {
  size: number;
  /** Messages to leave out. */
  except: readonly string[];
  /** No earlier round of this dispatch. After others, the activity has to return their results, and would lose a reservation. */
  isFirst: boolean;
  /** See `Rounds.waitsForAll`. */
  waitsForAll: boolean;
  pace: Pick<BatchPace, 'rate' | 'channel' | 'paused'>;
  /** The limit of the page's account, in messages (for sms: segments) a second. */
  limit: number;
}

/** A round whose time is not reserved yet. */
type UnplacedRound = Omit<RoundRequest, 'horizonMs' | 'holdHorizonMs'>;

/** Where the calls of a round find connections, or milliseconds until the next try; 0 if the activity has to end. */
export type TurnTaken = { reserved: ReservedConnections } | { waitMs: number };

/** Waits for the rate of the batch, the limit of the provider and its connections before each round of a dispatch. */
export class Turn {
  /** The time reserved for the first round. Heartbeat details keep it over retries of the activity. */
  reservedAt: number | undefined;

  constructor(
    private readonly deps: RoundDeps,
    private readonly target: TurnTarget,
  ) {
    const { heartbeatDetails } = activityInfo();
    if (typeof heartbeatDetails === 'number') this.reservedAt = heartbeatDetails;
  }

  /** Waits until a round may begin. The caller releases the connections. */
  async acquire(route: RoundRoute, round: WantedRound): Promise<TurnTaken> {
    const { signal } = this.target;
    const rateMs = await this.#byRate(round);
    const waitMs = rateMs > 0 ? rateMs : await this.#atProvider(route, round);
    if (waitMs > 0 || signal.aborted) return { waitMs };
    // Last, so that no round keeps connections while it waits for its time.
    const reserved = await this.#connections(route, round);
    return reserved === undefined ? { waitMs: signal.aborted ? 0 : withLaterJitter(connectionRetryMs) } : { reserved };
  }

  /** @returns milliseconds until a page looks again whether its slow account has a slot for it */
  msUntilNextLook(batchId: string): Promise<number> {
    return this.#pageWait(batchId, slowAccountWait.perSecond, withLaterJitter(slowAccountWait.minMs));
  }

  /** Waits in the slot, as slow calls do: their share of the slots is limited. */
  async #connections(
    { choices, isProbe }: RoundRoute,
    { size, except, waitsForAll, pace }: WantedRound,
  ): Promise<ReservedConnections | undefined> {
    const { slot, signal } = this.target;
    if (isProbe || pace.paused) return unreserved;
    return reserveConnections(this.deps, slot, {
      choices,
      channel: pace.channel,
      size,
      except,
      waitsForAll,
      ms: connectionWaitMsMax,
      signal,
    });
  }

  async #byRate({ pace: { rate }, size }: WantedRound): Promise<number> {
    const { batchId } = this.target;
    if (rate === null || batchId === undefined) return 0;
    const { waitMs, isReserved } = await reserveSlots(this.deps.db, batchId, { messages: size, horizonMs: pageWaitInSlotMsMax });
    if (!isReserved) return this.#pageWait(batchId, rate, waitMs);
    await this.#sleep(waitMs);
    return 0;
  }

  async #atProvider({ choices }: RoundRoute, { size, except, isFirst, limit }: WantedRound): Promise<number> {
    const round = { groupId: this.target.groupId, size, except };
    const reservedInMs = await this.#reservedInMs(round, choices);
    if (reservedInMs === null) return this.#reserve(round, choices, { isFirst, limit });
    if (reservedInMs > this.#nearMs()) return reservedInMs;
    this.reservedAt = undefined;
    await this.#sleep(reservedInMs);
    return 0;
  }

  /** Asks the provider's limit until it grants a time that is near enough to wait for it here, or that a retry of the activity can use. */
  async #reserve(round: UnplacedRound, choices: Choices, { isFirst, limit }: Pick<WantedRound, 'isFirst' | 'limit'>): Promise<number> {
    const { batchId, sliceEndsAt, signal } = this.target;
    const nearMs = this.#nearMs();
    const keptMs = isFirst && batchId === undefined ? Math.min(horizonMs, longestRetryWaitMs()) : 0;
    const horizons =
      batchId === undefined
        ? { horizonMs: Math.max(nearMs, keptMs), holdHorizonMs: horizonMs }
        : { horizonMs: pageHorizonMs, holdHorizonMs: pageHorizonMs };
    for (;;) {
      const { waitMs, isReserved } = await this.deps.throughput.admit({ ...round, ...horizons }, choices);
      const isFar = waitMs > nearMs;
      if (isReserved && isFar) {
        if (waitMs <= keptMs) this.reservedAt = Date.now() + waitMs;
        return waitMs;
      }
      if (!isReserved && (isFar || performance.now() > sliceEndsAt))
        return batchId === undefined ? withEarlierJitter(Math.min(waitMs, horizonMs)) : this.#pageWait(batchId, limit, waitMs);
      await this.#sleep(isReserved ? waitMs : withJitter(waitMs));
      if (isReserved || signal.aborted) return 0;
    }
  }

  /** The longest wait in the slot of the activity. Time for the call remains. */
  #nearMs(): number {
    return this.target.batchId === undefined ? Math.min(waitInSlotMsMax, Math.max(0, msLeft() / 2)) : pageWaitInSlotMsMax;
  }

  /** Pages of a batch are sent in order. A page tries again when half of the messages before it have been sent. */
  async #pageWait(batchId: string, perSecond: number, minMs: number): Promise<number> {
    const before = await queuedBeforePage(this.deps.db, batchId, this.target.groupId);
    const waitMs = Math.max(Number.isFinite(perSecond) ? minMs : withLaterJitter(minMs), withJitter((before / perSecond / 2) * 1000));
    return Math.min(waitMs, withJitter(pageWaitMsMax));
  }

  /**
   * Milliseconds until the reserved time, which may have passed; null if none is reserved, or the reservation is void. A hold of another
   * account leaves it valid: otherwise all places with all accounts would be lost while one throttles.
   */
  async #reservedInMs(round: UnplacedRound, choices: Choices): Promise<number | null> {
    if (this.reservedAt === undefined) return null;
    const leftMs = this.reservedAt - Date.now();
    const isValid = leftMs >= -reservationAgeMsMax && leftMs <= horizonMs;
    if (isValid && !(await this.deps.throughput.hasHeldAccount(round, choices))) return leftMs;
    this.reservedAt = undefined;
    return null;
  }

  async #sleep(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: this.target.signal }).catch(() => undefined);
  }
}
