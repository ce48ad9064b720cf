import { setTimeout as sleep } from 'node:timers/promises';
import { activityInfo } from '@temporalio/activity';
import { type Pace, queuedBeforePage, reserveSlots } from '../../models/operations/batches/batch-pace.js';
import type { RoundDeps } from './round-deps.js';
import type { RoundRoute } from './routing.js';

/** So long a wait is spent in the activity's slot; others need the slot during a longer one. */
const waitInSlotMsMax = 2_000;
/** The same for pages, whose slots are few: a batch with a low rate must not hold those of other workspaces. */
const pageWaitInSlotMsMax = 500;
/** Pages reserve no more than the next moment, so that a single message that comes now waits for no page. */
const bulkHorizonMs = 250;
const singleHorizonMs = 10 * 60_000;
/** A reserved moment that has passed for so long is given up: many of them at once would be too many calls. */
const ticketAgeMsMax = 5_000;

export interface TurnOf {
  groupId: string;
  /** Of a page. */
  batchId: string | undefined;
  /** Aborted when the activity has to end. */
  signal: AbortSignal;
  /** By `Date.now()`: from then on nothing is waited for that was not reserved. */
  until: number;
}

export interface WantedRound {
  size: number;
  /** Messages that are left out. */
  except: readonly string[];
  rate: Pace['rate'];
  /** Messages a second that the account of a page takes. */
  limit: number;
}

/** A dispatch waits for its turn at the provider, and by the rate of its batch. */
export class Turn {
  /** The moment that was reserved for the first round, kept over retries by the activity's heartbeat. */
  ticket: number | undefined;

  constructor(
    private readonly deps: RoundDeps,
    private readonly of: TurnOf,
  ) {
    const { heartbeatDetails } = activityInfo();
    if (typeof heartbeatDetails === 'number') this.ticket = heartbeatDetails;
  }

  /** Waits for the turn of a round. @returns 0: it has come, or the activity has to end; otherwise milliseconds until it is worth asking again */
  async come(route: RoundRoute, round: WantedRound): Promise<number> {
    const waitMs = await this.#byRate(round);
    return waitMs > 0 ? waitMs : this.#atProvider(route, round);
  }

  async #byRate({ rate, size }: WantedRound): Promise<number> {
    const { batchId } = this.of;
    if (rate === null || batchId === undefined) return 0;
    const { waitMs, isReserved } = await reserveSlots(this.deps.db, batchId, { messages: size, horizonMs: pageWaitInSlotMsMax });
    if (!isReserved) return this.#pageWait(batchId, rate, waitMs);
    await this.#sleep(waitMs);
    return 0;
  }

  async #atProvider({ choices }: RoundRoute, { size, except, limit }: WantedRound): Promise<number> {
    if (await this.#hasTicket()) return 0;
    const { groupId, batchId, until, signal } = this.of;
    const horizonMs = batchId === undefined ? singleHorizonMs : bulkHorizonMs;
    const inSlotMs = batchId === undefined ? waitInSlotMsMax : pageWaitInSlotMsMax;
    for (;;) {
      const { waitMs, isReserved } = await this.deps.throughput.admit({ groupId, size, except, horizonMs }, choices);
      if (waitMs > inSlotMs || (!isReserved && Date.now() > until)) {
        if (isReserved && batchId === undefined) this.ticket = Date.now() + waitMs;
        if (isReserved) return waitMs;
        return batchId === undefined ? apart(waitMs) : this.#pageWait(batchId, limit, waitMs);
      }
      await this.#sleep(isReserved ? waitMs : apart(waitMs));
      if (isReserved || signal.aborted) return 0;
    }
  }

  /** The pages of a batch go one after the other: one that has many messages before it asks again when half of them are gone. */
  async #pageWait(batchId: string, perSecond: number, leastMs: number): Promise<number> {
    const before = await queuedBeforePage(this.deps.db, batchId, this.of.groupId);
    return Math.max(leastMs, apart((before / perSecond / 2) * 1000));
  }

  async #hasTicket(): Promise<boolean> {
    const { ticket } = this;
    this.ticket = undefined;
    if (ticket === undefined || (await this.deps.throughput.isHolding())) return false;
    const leftMs = ticket - Date.now();
    if (leftMs > waitInSlotMsMax || leftMs < -ticketAgeMsMax) return false;
    await this.#sleep(leftMs);
    return true;
  }

  async #sleep(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: this.of.signal }).catch(() => undefined);
  }
}

/** Those who wait for the same moment do not all come back at it. */
const apart = (waitMs: number) => waitMs * (0.8 + 0.4 * Math.random());
