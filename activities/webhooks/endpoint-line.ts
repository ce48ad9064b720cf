/** Attempts to one endpoint: the events of a message in order, messages in parallel, at the rate that its owner set. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SendableDelivery } from '../../models/operations/webhooks/due-deliveries.js';
import { groupBy } from '../../models/rules/messages/group-by.js';

/** `ended`: failed for good. `failed`: will be retried. `stopped`: the webhook is paused, deleted or inactive. */
export type Outcome = 'acknowledged' | 'ended' | 'failed' | 'stopped';

/** The limits of a line, and when its caller should stop waiting for it. */
export interface Pace {
  /** Attempts at once, if the webhook is not ordered. */
  atOnce: number;
  /** An attempt is late when it has no outcome after this time. */
  patienceMs?: number;
  /** The whole line is late after this time. */
  lineMs?: number;
  /** Aborted when the worker stops. The line then begins no further attempt. */
  signal?: AbortSignal;
}

export interface LineOptions<Delivery> extends Pace {
  /** @param answered must be called when the receiver has answered, so that our own work afterwards does not count as late */
  attempt: (delivery: Delivery, answered: () => void) => Promise<Outcome>;
  /** Continues after a failure, so that each delivery is attempted. */
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
  /** Resolves when an attempt or the line is late. May never resolve. */
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

  /** Runs the attempts, and stops after a failure. @returns the deliveries that will be retried or were not tried */
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

  /** Begins no further attempt. Attempts in progress continue in the background. */
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
        this.#chains.length = 0; // paused, deleted or inactive: the change itself has settled the other deliveries
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

  /** Waits until the webhook's rate allows the next attempt. */
  async #pace({ rate }: Delivery): Promise<void> {
    if (rate === null) return;
    const at = Math.max(performance.now(), this.#nextAtMs);
    this.#nextAtMs = at + 1000 / rate;
    await sleep(at - performance.now());
  }
}
