/** Attempts to one endpoint: the events of a message one after the other, messages side by side, at the pace that its owner set. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SendableDelivery } from '../../models/operations/webhooks/due-deliveries.js';
import { groupBy } from '../../models/rules/messages/group-by.js';

/** `ended`: failed for good. `failed`: the ladder goes on. `stopped`: the webhook takes nothing more. */
export type Outcome = 'acknowledged' | 'ended' | 'failed' | 'stopped';

/** How fast a line moves, and when those who wait for it should go on without. */
export interface Pace {
  /** Attempts at once, where the webhook is not ordered. */
  atOnce: number;
  /** So long after an attempt began without an outcome it is late. */
  patienceMs?: number;
  /** After so long all that is left is late. */
  lineMs?: number;
  /** Aborted when the worker stops: nothing further is begun. */
  signal?: AbortSignal;
}

export interface LineOptions<Delivery> extends Pace {
  /** @param answered is to be called when the outcome is known; what follows is our own time */
  attempt: (delivery: Delivery, answered: () => void) => Promise<Outcome>;
  /** Goes on after a failure: each delivery has its attempt. */
  goesOn: boolean;
}

export class EndpointLine<Delivery extends SendableDelivery> {
  readonly #chains: Delivery[][];
  readonly #open: Set<Delivery>;
  readonly #underWay = new Set<Delivery>();
  readonly #left: Delivery[] = [];
  #isEnded = false;
  #nextAtMs = 0;
  #tellLate: () => void = () => undefined;
  /** Resolves when an attempt, or the line, takes longer than it may; perhaps never. */
  readonly late = new Promise<void>((resolve) => {
    this.#tellLate = resolve;
  });

  /** @param deliveries of one webhook, in the order of their events */
  constructor(
    deliveries: Delivery[],
    private readonly options: LineOptions<Delivery>,
  ) {
    const isOrdered = deliveries[0]?.ordered === true;
    this.#chains = isOrdered ? [[...deliveries]] : [...groupBy(deliveries, ({ message_id, id }) => message_id ?? id).values()];
    this.#open = new Set(deliveries);
  }

  /** After a failure nothing further is begun. @returns what failed on the ladder or was not tried */
  async run(): Promise<Delivery[]> {
    const { atOnce, lineMs } = this.options;
    const end = this.#lateAfter(lineMs);
    try {
      await Promise.all(Array.from({ length: Math.min(atOnce, this.#chains.length) }, () => this.#work()));
    } finally {
      clearTimeout(end);
    }
    return this.#left;
  }

  /** Begins nothing further. What is under way goes on beside. */
  handOver(): { left: Delivery[]; underWay: Delivery[] } {
    this.#isEnded = true;
    const underWay = [...this.#underWay];
    return { underWay, left: [...this.#open].filter((delivery) => !this.#underWay.has(delivery)) };
  }

  get #isOver(): boolean {
    return this.#isEnded || this.options.signal?.aborted === true;
  }

  async #work(): Promise<void> {
    for (let chain = this.#chains.shift(); chain !== undefined; chain = this.#chains.shift()) await this.#follow(chain);
  }

  async #follow(chain: Delivery[]): Promise<void> {
    for (const [index, delivery] of chain.entries()) {
      if (!this.#isOver) await this.#pace(delivery);
      const outcome = this.#isOver ? 'not tried' : await this.#attempt(delivery);
      if (outcome === 'acknowledged' || outcome === 'ended') continue;
      if (outcome === 'failed' && this.options.goesOn) {
        this.#left.push(delivery);
        continue;
      }
      this.#isEnded = true;
      if (outcome === 'stopped')
        this.#chains.length = 0; // paused, deleted or gone meanwhile: whoever did that held the rest
      else this.#left.push(...chain.slice(index));
      return;
    }
  }

  async #attempt(delivery: Delivery): Promise<Outcome> {
    const patience = this.#lateAfter(this.options.patienceMs);
    this.#underWay.add(delivery);
    try {
      const outcome = await this.options.attempt(delivery, () => clearTimeout(patience));
      if (outcome !== 'failed') this.#open.delete(delivery);
      return outcome;
    } finally {
      clearTimeout(patience);
      this.#underWay.delete(delivery);
    }
  }

  #lateAfter(ms: number | undefined): NodeJS.Timeout | undefined {
    return ms === undefined ? undefined : setTimeout(() => this.#tellLate(), ms);
  }

  /** Waits for the turn that the webhook's rate gives. */
  async #pace({ rate }: Delivery): Promise<void> {
    if (rate === null) return;
    const at = Math.max(performance.now(), this.#nextAtMs);
    this.#nextAtMs = at + 1000 / rate;
    await sleep(at - performance.now());
  }
}
