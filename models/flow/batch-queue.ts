import { AsyncResource } from 'node:async_hooks';

interface QueuedItem<Item, Result> {
  item: Item;
  queuedAt: number;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export interface BatchQueueOptions<Item> {
  /** The most items in one batch. */
  maxBatchSize: number;
  /** How many batches may be written at the same time. Default: 1. */
  concurrency?: number;
  /** A write that takes longer than this no longer counts against `concurrency`, so that other batches can start. Default: no limit. */
  slowAfterMs?: number;
  /** The owner of an item. Owners take turns, so that many items of one owner do not delay the few items of another. */
  ownerOf?: (item: Item) => string;
  /** Each batch contains items of one owner only. */
  oneOwnerPerBatch?: boolean;
  /**
   * With one owner per batch: after a batch its owner rests for this many times as long as the batch took, half a second at most. What the
   * owner adds meanwhile becomes one larger batch, which costs less than several small ones. A full batch does not wait. Default: no rest.
   */
  restShare?: number;
  /** An item that has waited longer than this is rejected instead of written. Default: no limit. */
  maxWaitMs?: number;
}

const restMsMax = 500;

/** The item was not written, because it waited longer than `maxWaitMs`. */
export class QueueTimeoutError extends Error {}

/**
 * Writes items in batches (group commit). An item is written immediately while fewer than `concurrency` batches are being written.
 * Otherwise it waits, and is written together with the other waiting items as the next batch. So batching adds no latency when
 * there is nothing to batch.
 */
export class BatchQueue<Item, Result> {
  readonly #waiting = new Map<string, QueuedItem<Item, Result>[]>();
  /** The owners that rest, each with its last rest. */
  readonly #resting = new Map<string, NodeJS.Timeout>();
  #active = 0;
  #slow = 0;

  readonly #write: (items: Item[]) => Promise<Result[]>;

  /**
   * @param write writes the items of one batch and returns their results in the same order. It runs in the context of this call
   * (AsyncLocalStorage), because a batch has items of several callers. Otherwise it would run as the activity that added the first item
   */
  constructor(
    write: (items: Item[]) => Promise<Result[]>,
    private readonly options: BatchQueueOptions<Item>,
  ) {
    this.#write = AsyncResource.bind(write);
  }

  /**
   * Resolves when the item is written.
   * @throws the error of its batch's write, or QueueTimeoutError
   */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const owner = this.options.ownerOf?.(item) ?? '';
      const queue = this.#waiting.get(owner) ?? [];
      this.#waiting.set(owner, queue);
      queue.push({ item, queuedAt: performance.now(), resolve, reject });
      if (this.#active < this.#concurrency) void this.#run();
    });
  }

  get #concurrency(): number {
    return (this.options.concurrency ?? 1) + this.#slow;
  }

  async #run(): Promise<void> {
    this.#active += 1;
    while (this.#active <= this.#concurrency) {
      const batch = this.#takeBatch();
      if (batch.length === 0) break;
      await this.#writeBatch(batch);
    }
    this.#active -= 1;
  }

  /** Takes the oldest item of each owner in turn. Skips owners that rest. */
  #takeBatch(): QueuedItem<Item, Result>[] {
    const { maxBatchSize, oneOwnerPerBatch, maxWaitMs = Number.POSITIVE_INFINITY } = this.options;
    const batch: QueuedItem<Item, Result>[] = [];
    for (const [owner, queue] of this.#waiting) {
      if (batch.length === maxBatchSize) break;
      if (this.#resting.has(owner) && queue.length < maxBatchSize) continue;
      this.#waiting.delete(owner);
      const next = queue.shift();
      // An owner with more items goes to the end of the map. This loop reaches it again there.
      if (queue.length > 0) this.#waiting.set(owner, queue);
      if (next === undefined) continue;
      if (performance.now() - next.queuedAt > maxWaitMs) next.reject(new QueueTimeoutError());
      else batch.push(next);
      if (oneOwnerPerBatch === true && batch.length > 0) return this.#fillBatch(batch, owner);
    }
    return batch;
  }

  /** Fills the batch with more items of the same owner. */
  #fillBatch(batch: QueuedItem<Item, Result>[], owner: string): QueuedItem<Item, Result>[] {
    const queue = this.#waiting.get(owner) ?? [];
    batch.push(...queue.splice(0, this.options.maxBatchSize - batch.length));
    if (queue.length === 0) this.#waiting.delete(owner);
    return batch;
  }

  async #writeBatch(batch: QueuedItem<Item, Result>[]): Promise<void> {
    const stopTimer = this.#startSlowTimer();
    const begunAt = performance.now();
    try {
      const results = await this.#write(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      stopTimer();
      this.#rest(batch, performance.now() - begunAt);
    }
  }

  #rest([first]: QueuedItem<Item, Result>[], batchMs: number): void {
    const { restShare = 0, ownerOf } = this.options;
    if (restShare === 0 || first === undefined || ownerOf === undefined) return;
    const owner = ownerOf(first.item);
    clearTimeout(this.#resting.get(owner));
    const end = () => {
      this.#resting.delete(owner);
      if (this.#active < this.#concurrency) void this.#run();
    };
    this.#resting.set(owner, setTimeout(end, Math.min(restShare * batchMs, restMsMax)));
  }

  /**
   * Counts the write as slow after `slowAfterMs`, and starts another batch in its place.
   * @returns a function to call when the write has ended
   */
  #startSlowTimer(): () => void {
    const { slowAfterMs } = this.options;
    if (slowAfterMs === undefined) return () => undefined;
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = true;
      this.#slow += 1;
      void this.#run();
    }, slowAfterMs);
    return () => {
      clearTimeout(timer);
      if (isSlow) this.#slow -= 1;
    };
  }
}
