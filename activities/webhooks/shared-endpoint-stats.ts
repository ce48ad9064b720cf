/** What the threads of a worker process know together of the endpoints of webhooks. */

/**
 * Endpoints map to slots by a hash of their id. Two endpoints may share a slot and then share counts and health, so first attempts to one may
 * be left to its retrier. With 65,536 slots, two busy ones rarely do. Nobody chooses the id of a webhook.
 */
const slots = 65_536;
const counters = slots * Int32Array.BYTES_PER_ELEMENT;

/**
 * Three values for each endpoint, in memory that all threads share: first attempts run in one thread, retries in another. A thread that dies
 * leaves its attempts counted, but its process ends with it.
 */
export class SharedEndpointStats {
  readonly #failingUntil: BigInt64Array;
  readonly #inFlight: Int32Array;
  /** Microseconds; 0 when not known. */
  readonly #usual: Int32Array;

  /** @param memory that of the same object in another thread */
  constructor(readonly memory: SharedArrayBuffer = new SharedArrayBuffer(slots * BigInt64Array.BYTES_PER_ELEMENT + 2 * counters)) {
    this.#failingUntil = new BigInt64Array(memory, 0, slots);
    this.#inFlight = new Int32Array(memory, this.#failingUntil.byteLength, slots);
    this.#usual = new Int32Array(memory, this.#failingUntil.byteLength + counters, slots);
  }

  /** Attempts in progress, those of all threads together. */
  inFlight(webhookId: string): number {
    return Atomics.load(this.#inFlight, slotOf(webhookId));
  }

  begin(webhookId: string): void {
    Atomics.add(this.#inFlight, slotOf(webhookId), 1);
  }

  end(webhookId: string): void {
    Atomics.sub(this.#inFlight, slotOf(webhookId), 1);
  }

  /** Until when first attempts are left to the retrier, in milliseconds of the clock of `EndpointHealth`. */
  failingUntil(webhookId: string): number {
    return Number(Atomics.load(this.#failingUntil, slotOf(webhookId)));
  }

  setFailingUntil(webhookId: string, untilMs: number): void {
    Atomics.store(this.#failingUntil, slotOf(webhookId), BigInt(untilMs));
  }

  /** Milliseconds of an acknowledged attempt; undefined before the first one. */
  usualMs(webhookId: string): number | undefined {
    const usual = Atomics.load(this.#usual, slotOf(webhookId));
    return usual === 0 ? undefined : usual / 1_000;
  }

  setUsualMs(webhookId: string, usualMs: number): void {
    Atomics.store(this.#usual, slotOf(webhookId), Math.max(1, Math.round(usualMs * 1_000)));
  }
}

/** FNV-1a. */
function slotOf(webhookId: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < webhookId.length; index += 1) hash = Math.imul(hash ^ webhookId.charCodeAt(index), 0x01000193);
  return (hash >>> 0) % slots;
}
