import { condition, defineUpdate, setHandler } from '@temporalio/workflow';
import { acceptUpdate } from '../contract.js';

/**
 * The `accept` update of a workflow. Its caller waits for the decision on the debit. The workflow decides whether or not the update
 * arrives, so a lost update changes nothing.
 */
export class AcceptUpdate<Answer> {
  #answer: Answer | undefined;

  /** Registers the handler. Create the object before the workflow's first `await`. */
  constructor() {
    setHandler(defineUpdate<Answer>(acceptUpdate), async () => {
      await condition(() => this.#answer !== undefined);
      return this.#answer as Answer;
    });
  }

  /** Answers the update, now or when it arrives. */
  answer(answer: Answer): void {
    this.#answer = answer;
  }
}
