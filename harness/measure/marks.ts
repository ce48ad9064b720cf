const waitMsMax = 60_000;

/** One-time events by id, which can be noted before or after they are awaited. */
export class Marks {
  readonly #seen = new Set<string>();
  readonly #waiting = new Map<string, () => void>();

  /** @param what the awaited event, for the error text */
  constructor(private readonly what: string) {}

  /** Notes that the event has happened. */
  note(id: string): void {
    this.#seen.add(id);
    this.#waiting.get(id)?.();
  }

  /** Resolves when the event has happened; rejects on a timeout. */
  of(id: string): Promise<void> {
    if (this.#seen.has(id)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const forget = () => {
        clearTimeout(timer);
        this.#waiting.delete(id);
      };
      const timer = setTimeout(() => {
        forget();
        reject(new Error(`${id} was not ${this.what} within ${waitMsMax / 1000} s`));
      }, waitMsMax);
      this.#waiting.set(id, () => {
        forget();
        resolve();
      });
    });
  }

  /** The ids that are awaited. */
  awaited(): string[] {
    return [...this.#waiting.keys()];
  }
}
