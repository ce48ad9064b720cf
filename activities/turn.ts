import { setTimeout as sleep } from 'node:timers/promises';
import { activityInfo } from '@temporalio/activity';
import type { RoundDeps } from './rounds.js';
import type { RoundRoute } from './routing.js';

/** So long a wait is spent in the activity's slot; others need the slot during a longer one. */
const waitInSlotMsMax = 2_000;
/** Pages reserve no more than the next moment, so that a single message that comes now waits for no page. */
const bulkHorizonMs = 250;
const singleHorizonMs = 10 * 60_000;
/** A reserved moment that has passed for so long is given up: many of them at once would be too many calls. */
const ticketAgeMsMax = 5_000;

/** A dispatch waits for its turn at the provider. */
export class Turn {
  /** The moment that was reserved for the first round, kept over retries by the activity's heartbeat. */
  ticket: number | undefined;
  readonly #horizonMs: number;

  constructor(
    private readonly deps: RoundDeps,
    private readonly groupId: string,
    private readonly inBatch: boolean,
  ) {
    this.#horizonMs = inBatch ? bulkHorizonMs : singleHorizonMs;
    const { heartbeatDetails } = activityInfo();
    if (typeof heartbeatDetails === 'number') this.ticket = heartbeatDetails;
  }

  /** Waits for the turn of a round. @returns 0: it has come; otherwise milliseconds until it is worth asking again */
  async come({ choices }: RoundRoute, size: number, except: readonly string[], until: number): Promise<number> {
    if (await this.#hasTicket()) return 0;
    for (;;) {
      const request = { groupId: this.groupId, size, except, horizonMs: this.#horizonMs };
      const { waitMs, isReserved } = await this.deps.throughput.admit(request, choices);
      if (waitMs > waitInSlotMsMax || (!isReserved && Date.now() > until)) {
        if (isReserved && !this.inBatch) this.ticket = Date.now() + waitMs;
        return isReserved ? waitMs : apart(waitMs);
      }
      await sleep(isReserved ? waitMs : apart(waitMs));
      if (isReserved) return 0;
    }
  }

  async #hasTicket(): Promise<boolean> {
    const { ticket } = this;
    this.ticket = undefined;
    if (ticket === undefined || (await this.deps.throughput.isHolding())) return false;
    const leftMs = ticket - Date.now();
    if (leftMs > waitInSlotMsMax || leftMs < -ticketAgeMsMax) return false;
    if (leftMs > 0) await sleep(leftMs);
    return true;
  }
}

/** Those who wait for the same moment do not all come back at it. */
const apart = (waitMs: number) => waitMs * (0.8 + 0.4 * Math.random());
