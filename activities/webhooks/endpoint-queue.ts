/** Attempts to one endpoint: the events of a message in order, messages in parallel, at the rate that its owner set. */
import type { SendableDelivery } from '../../models/operations/deliveries/due-deliveries.js';
import { groupBy } from '../../models/rules/values/group-by.js';
import type { TurnsOfWebhook } from './turns-of-webhook.js';

/** `ended`: failed for good. `failed`: will be retried. `stopped`: the webhook is paused, deleted or inactive. */
export type AttemptOutcome = 'acknowledged' | 'ended' | 'failed' | 'stopped';

/** What an attempt has found out. */
export interface AttemptResult {
  outcome: AttemptOutcome;
  /** The owner has changed the webhook, or its receiver asks a replay to wait: the other deliveries must be read again before they are attempted. */
  isOutdated: boolean;
}

/** The limits of a queue, and when its caller should stop waiting for it. */
export interface QueueLimits {
  /** Attempts at once, if the webhook is not ordered. */
  concurrency: number;
  /** The events of the first message are attempted before all others, which wait until they were acknowledged. */
  firstAlone?: boolean;
  /** An attempt is late when it has no outcome after this time. */
  lateAfterMs?: number;
  /** The whole queue is late after this time. */
  queueLateAfterMs?: number;
  /** The queue begins no attempt later than this, by `performance.now()`. */
  until?: number;
  /** Aborted when the worker stops. The queue then begins no further attempt. */
  signal?: AbortSignal;
}

export interface QueueOptions<Delivery> extends QueueLimits {
  /** @param answered must be called when the receiver has answered, so that our own work afterwards does not count as late */
  attempt: (delivery: Delivery, answered: () => void) => Promise<AttemptResult>;
  /** Continues after a failure, so that each delivery is attempted. */
  continuesAfterFailure: boolean;
  /** Absent if the webhook has no rate. */
  turns?: TurnsOfWebhook | undefined;
}

export class EndpointQueue<Delivery extends SendableDelivery> {
  readonly #chains: Delivery[][];
  readonly #open: Set<Delivery>;
  readonly #inFlight = new Set<Delivery>();
  readonly #left: Delivery[] = [];
  readonly #untried: Delivery[] = [];
  #isEnded = false;
  /** Deliveries that have had no turn yet. */
  #toCome: number;
  #signalLate: () => void = () => undefined;
  /** Resolves when an attempt or the queue is late. May never resolve. */
  readonly late = new Promise<void>((resolve) => {
    this.#signalLate = resolve;
  });

  /** @param deliveries of one webhook, in the order of their events */
  constructor(
    deliveries: Delivery[],
    private readonly options: QueueOptions<Delivery>,
  ) {
    const isOrdered = deliveries[0]?.ordered === true;
    this.#chains = isOrdered ? [[...deliveries]] : [...groupBy(deliveries, ({ message_id, id }) => message_id ?? id).values()];
    this.#open = new Set(deliveries);
    this.#toCome = deliveries.length;
  }

  /**
   * Runs the attempts, and stops after a failure.
   * @returns the deliveries that will be retried or were not tried
   * @throws what an attempt has thrown, after all attempts in progress have ended
   */
  async run(): Promise<Delivery[]> {
    const { concurrency, queueLateAfterMs, firstAlone } = this.options;
    const end = this.#lateAfter(queueLateAfterMs);
    try {
      const first = firstAlone === true ? this.#chains.shift() : undefined;
      if (first !== undefined) await this.#attemptChain(first);
      const lanes = Array.from({ length: Math.min(concurrency, this.#chains.length) }, () => this.#work());
      for (const lane of await Promise.allSettled(lanes)) if (lane.status === 'rejected') throw lane.reason;
    } finally {
      clearTimeout(end);
    }
    return this.#left;
  }

  /** The deliveries that were not tried when it ended: its time was over, or the webhook has changed. */
  get untried(): readonly Delivery[] {
    return this.#untried;
  }

  /** Begins no further attempt. Attempts in progress continue in the background. */
  detach(): { idle: Delivery[]; inFlight: Delivery[] } {
    this.#isEnded = true;
    const inFlight = [...this.#inFlight];
    return { inFlight, idle: [...this.#open].filter((delivery) => !this.#inFlight.has(delivery)) };
  }

  get #isOver(): boolean {
    const { signal, until = Number.POSITIVE_INFINITY } = this.options;
    return this.#isEnded || signal?.aborted === true || performance.now() > until;
  }

  async #work(): Promise<void> {
    for (let chain = this.#chains.shift(); chain !== undefined; chain = this.#chains.shift()) await this.#attemptChain(chain);
  }

  async #attemptChain(chain: Delivery[]): Promise<void> {
    for (const [index, delivery] of chain.entries()) {
      const outcome = (await this.#mayAttempt()) ? await this.#attempt(delivery) : 'not tried';
      if (outcome === 'acknowledged' || outcome === 'ended') continue;
      if (outcome === 'failed' && this.options.continuesAfterFailure) {
        this.#left.push(delivery);
        continue;
      }
      this.#isEnded = true;
      const rest = chain.slice(index);
      if (outcome === 'not tried') this.#untried.push(...rest);
      if (outcome === 'stopped')
        this.#chains.length = 0; // the change of the webhook has settled the other deliveries
      else this.#left.push(...rest);
      return;
    }
  }

  /** Waits for a turn if the webhook has a rate. @returns false if the queue was over before */
  async #mayAttempt(): Promise<boolean> {
    if (this.#isOver) return false;
    const hasTurn = await this.options.turns?.next(this.#toCome--, () => this.#isOver);
    return hasTurn !== false && !this.#isOver;
  }

  async #attempt(delivery: Delivery): Promise<AttemptOutcome> {
    const patience = this.#lateAfter(this.options.lateAfterMs);
    this.#inFlight.add(delivery);
    try {
      const { outcome, isOutdated } = await this.options.attempt(delivery, () => clearTimeout(patience));
      if (outcome !== 'failed') this.#open.delete(delivery);
      this.#isEnded ||= isOutdated;
      return outcome;
    } catch (error) {
      this.#isEnded = true; // its outcome was not stored, and those of further attempts might not be either
      throw error;
    } finally {
      clearTimeout(patience);
      this.#inFlight.delete(delivery);
    }
  }

  #lateAfter(ms: number | undefined): NodeJS.Timeout | undefined {
    return ms === undefined ? undefined : setTimeout(() => this.#signalLate(), ms);
  }
}
