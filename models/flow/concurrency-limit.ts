import { busy } from '../errors.js';
import { Tally } from './tally.js';

export interface ConcurrencyOptions {
  /** How many pieces of work may run at the same time. */
  max: number;
  /** How many pieces of work of one key may run at the same time. Default: `max`. */
  maxPerKey?: number;
  /** How many may wait, over all keys. One more is rejected as `unavailable`. Default: no limit. */
  maxWaiting?: number;
  /** How many may wait per key. Default: `maxWaiting`. */
  maxWaitingPerKey?: number;
  /** How long the key keeps its place after work of this length: it rests, others do not wait. Default: 0 */
  restMsAfter?: (workMs: number, key: string) => number;
  /** How long one may wait, in milliseconds. Then it is rejected as `unavailable`. Default: no limit. */
  waitMsMax?: number;
}

interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
  /** Ends the wait. */
  timer?: NodeJS.Timeout;
}

/**
 * Runs work when a place is free, and returns its result. Keys take turns, however much work each of them has waiting.
 * @throws AppError unavailable if too much work waits, or if it waited too long
 */
export type ConcurrencyLimit = <Result>(work: () => Promise<Result>, key?: string) => Promise<Result>;

/** Runs a read when it may use a connection. */
export type ReadTurn = <Result>(read: () => Promise<Result>) => Promise<Result>;

/** Limits how many pieces of work run at the same time. The others wait in fair order. */
export function createConcurrencyLimit(options: ConcurrencyOptions): ConcurrencyLimit {
  const semaphore = new FairSemaphore(options);
  return async (work, key = '') => {
    await semaphore.acquire(key);
    const begunAt = performance.now();
    try {
      return await work();
    } finally {
      semaphore.release(key, options.restMsAfter?.(performance.now() - begunAt, key) ?? 0);
    }
  };
}

class FairSemaphore {
  readonly #waiting = new Map<string, Waiter[]>();
  readonly #running = new Tally();
  #waitingCount = 0;
  #free: number;

  constructor(private readonly options: ConcurrencyOptions) {
    this.#free = options.max;
  }

  async acquire(key: string): Promise<void> {
    if (this.#free > 0 && this.#isBelowLimit(key)) this.#start(key);
    else await this.#wait(key);
  }

  release(key: string, restMs: number): void {
    this.#free += 1;
    const endRest = () => {
      this.#running.remove(key);
      this.#startWaiting();
    };
    if (restMs === 0) return endRest();
    setTimeout(endRest, restMs).unref();
    this.#startWaiting();
  }

  #isBelowLimit(key: string): boolean {
    return this.#running.of(key) < (this.options.maxPerKey ?? this.options.max);
  }

  #start(key: string): void {
    this.#free -= 1;
    this.#running.add(key);
  }

  #wait(key: string): Promise<void> {
    const { maxWaiting = Number.POSITIVE_INFINITY, maxWaitingPerKey = maxWaiting, waitMsMax } = this.options;
    const queue = this.#waiting.get(key) ?? [];
    if (queue.length >= maxWaitingPerKey || (this.#waitingCount >= maxWaiting && !this.#evictFor(queue.length + 1))) throw busy();
    this.#waiting.set(key, queue);
    this.#waitingCount += 1;
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { resolve, reject };
      queue.push(waiter);
      if (waitMsMax !== undefined) waiter.timer = setTimeout(() => this.#giveUp(key, waiter), waitMsMax);
    });
  }

  /** Rejects a waiter that is still in its queue. */
  #giveUp(key: string, waiter: Waiter): void {
    const queue = this.#waiting.get(key) ?? [];
    queue.splice(queue.indexOf(waiter), 1);
    if (queue.length === 0) this.#waiting.delete(key);
    this.#waitingCount -= 1;
    waiter.reject(busy());
  }

  /**
   * Rejects the last waiter of the longest queue, to make room for a key with a shorter queue.
   * @param ownLength the length that the other key's queue would have
   * @returns whether a waiter was rejected
   */
  #evictFor(ownLength: number): boolean {
    const longest = [...this.#waiting.values()].reduce((one, other) => (other.length > one.length ? other : one), []);
    if (longest.length <= ownLength) return false;
    const evicted = longest.pop();
    clearTimeout(evicted?.timer);
    evicted?.reject(busy());
    this.#waitingCount -= 1;
    return true;
  }

  /** Starts waiting work, one piece per key in turn. */
  #startWaiting(): void {
    for (const [key, queue] of this.#waiting) {
      if (this.#free === 0) return;
      if (!this.#isBelowLimit(key)) continue;
      this.#waiting.delete(key);
      const next = queue.shift();
      clearTimeout(next?.timer);
      // A key with more work goes to the end of the map. This loop reaches it again there.
      if (queue.length > 0) this.#waiting.set(key, queue);
      this.#waitingCount -= 1;
      this.#start(key);
      next?.resolve();
    }
  }
}
