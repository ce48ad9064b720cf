import type { HandoffResult } from '../../models/operations/handoff/record-handoffs.js';

/** Answers that arrive within this time are recorded in one transaction. */
const gatherMs = 100;

/**
 * Records the answers of one round in few transactions and soon. An answer that is only in memory is lost when the process dies, so it does
 * not wait for slow calls.
 */
export class AnswerRecorder {
  #answers: HandoffResult[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #writes: Promise<void>[] = [];

  /** @param write records answers, and repeats itself when the database fails */
  constructor(private readonly write: (answers: HandoffResult[]) => Promise<void>) {}

  add(answer: HandoffResult): void {
    this.#answers.push(answer);
    this.#timer ??= setTimeout(() => this.#flush(), gatherMs);
  }

  /** Records the remaining answers and waits for all writes. @throws the first error, after all have ended */
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
    write.catch(() => undefined); // thrown by `end`
    this.#writes.push(write);
    this.#answers = [];
  }
}
