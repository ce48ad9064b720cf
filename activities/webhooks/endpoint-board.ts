/** What the threads of a worker process know together of the endpoints of webhooks. */

/**
 * Endpoints share a place by the hash of their id. With 65,536 places two of the busy ones rarely do. Such two count together and look equally
 * healthy, so first attempts to one may be left to its retrier. Nobody chooses the id of a webhook.
 */
const places = 65_536;
const counters = places * Int32Array.BYTES_PER_ELEMENT;

/**
 * Three values for each endpoint, in memory that all threads share: first attempts run in one thread, retries in another. An attempt that
 * never ends its count would be counted until the process ends; a thread that dies ends its process.
 */
export class EndpointBoard {
  readonly #failingUntil: BigInt64Array;
  readonly #underWay: Int32Array;
  /** Microseconds; 0 when not known. */
  readonly #usual: Int32Array;

  /** @param memory that of the same object in another thread */
  constructor(readonly memory: SharedArrayBuffer = new SharedArrayBuffer(places * BigInt64Array.BYTES_PER_ELEMENT + 2 * counters)) {
    this.#failingUntil = new BigInt64Array(memory, 0, places);
    this.#underWay = new Int32Array(memory, this.#failingUntil.byteLength, places);
    this.#usual = new Int32Array(memory, this.#failingUntil.byteLength + counters, places);
  }

  /** Attempts in progress, those of all threads together. */
  underWay(webhookId: string): number {
    return Atomics.load(this.#underWay, placeOf(webhookId));
  }

  begin(webhookId: string): void {
    Atomics.add(this.#underWay, placeOf(webhookId), 1);
  }

  end(webhookId: string): void {
    Atomics.sub(this.#underWay, placeOf(webhookId), 1);
  }

  /** Until when first attempts are left to the retrier, in milliseconds since 1970. */
  failingUntil(webhookId: string): number {
    return Number(Atomics.load(this.#failingUntil, placeOf(webhookId)));
  }

  setFailingUntil(webhookId: string, untilMs: number): void {
    Atomics.store(this.#failingUntil, placeOf(webhookId), BigInt(untilMs));
  }

  /** Milliseconds of an acknowledged attempt; undefined before the first one. */
  usualMs(webhookId: string): number | undefined {
    const usual = Atomics.load(this.#usual, placeOf(webhookId));
    return usual === 0 ? undefined : usual / 1_000;
  }

  setUsualMs(webhookId: string, usualMs: number): void {
    Atomics.store(this.#usual, placeOf(webhookId), Math.max(1, Math.round(usualMs * 1_000)));
  }
}

/** FNV-1a. */
function placeOf(webhookId: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < webhookId.length; index += 1) hash = Math.imul(hash ^ webhookId.charCodeAt(index), 0x01000193);
  return (hash >>> 0) % places;
}
