/** Facts that are reported once and awaited by whom they concern, in either order. */
export class Marks {
  readonly #seen = new Set<string>();
  readonly #waiting = new Map<string, () => void>();

  /** @param what is waited for, in words for the error */
  constructor(
    private readonly what: string,
    private readonly waitMsMax = 60_000,
  ) {}

  /** The fact has happened. */
  note(id: string): void {
    this.#seen.add(id);
    this.#waiting.get(id)?.();
  }

  /** Resolves when it has happened, at once when it has already; rejects when it does not happen in time. */
  of(id: string): Promise<void> {
    if (this.#seen.has(id)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const forget = () => {
        clearTimeout(timer);
        this.#waiting.delete(id);
      };
      const timer = setTimeout(() => {
        forget();
        reject(new Error(`${id} was not ${this.what} within ${this.waitMsMax / 1000} s`));
      }, this.waitMsMax);
      this.#waiting.set(id, () => {
        forget();
        resolve();
      });
    });
  }

  /** Ids that somebody waits for. */
  awaited(): string[] {
    return [...this.#waiting.keys()];
  }
}
