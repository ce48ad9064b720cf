import type { HandoffResult } from '../../models/operations/handoff/record-handoffs.js';

/** Answers that come within this time are recorded in one transaction. */
const gatherMs = 100;

/**
 * Records the answers of one round: in one transaction where they come together, soon after they came where others take longer. An
 * answer that only this process knows is lost when it dies.
 */
export class AnswerRecorder {
  #answers: HandoffResult[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #writes: Promise<void>[] = [];

  /** @param write records answers; it repeats itself where the database fails */
  constructor(private readonly write: (answers: HandoffResult[]) => Promise<void>) {}

  add(answer: HandoffResult): void {
    this.#answers.push(answer);
    this.#timer ??= setTimeout(() => this.#flush(), gatherMs);
  }

  /** Records what is left, and waits for all. @throws the first error of a write, after all have ended */
  async end(): Promise<void> {
    this.#flush();
    const failed = (await Promise.allSettled(this.#writes)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#answers.length === 0) return;
    const write = this.write(this.#answers);
    write.catch(() => undefined); // told by `end`
    this.#writes.push(write);
    this.#answers = [];
  }
}
