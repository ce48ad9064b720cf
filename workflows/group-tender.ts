import { condition } from '@temporalio/workflow';
import type { Dispatched } from '../activities/handoff/dispatch.js';
import type { Sent } from '../activities/groups/groups.js';
import { asking, delivering, dispatching, local } from './activities.js';
import { queues } from './contract.js';
import { EventPump } from './event-pump.js';

/**
 * Hand-off, reports and events of a group of many: one activity takes all three for as long as they come, and only the first
 * report after a silence wakes the workflow.
 */
export class GroupTender {
  readonly events: EventPump;
  #isOver = false;
  #hasBegun = false;
  /** What was seen last was seen after the last hand-off, and is all that there is to see. */
  #hasSeenAll = false;
  /** A call that died may have left something to others. */
  #again = false;

  constructor(
    private readonly groupId: string,
    /** Of a page. */
    private readonly batchId?: string,
  ) {
    this.events = new EventPump(async () => {
      if (this.#isOver) return { children: [], carriers: [] };
      const { isOver, left } = await delivering(this.#queue).tendGroup(groupId, batchId !== undefined, this.#again);
      this.#isOver = isOver;
      this.#again = false;
      return left;
    });
  }

  get #queue(): string {
    return this.batchId === undefined ? queues.messages : queues.bulk;
  }

  /**
   * Hands off what is due, the first time in one activity with what follows from it. What is left of that has a hand-off of its own: while
   * it waits for its next attempt, reports come of what was taken.
   */
  dispatch(timeoutMs: number): Promise<Dispatched> {
    const { dispatchMessages, sendGroup } = dispatching(this.#queue, timeoutMs);
    this.#hasSeenAll = false;
    if (this.#hasBegun || this.events.isRunning) return dispatchMessages(this.groupId, this.batchId);
    this.#hasBegun = true;
    return this.events.during<Sent>(sendGroup(this.groupId, this.batchId).then(this.#note, this.#noteFailure));
  }

  /** Waits until nothing of the group is open, after all was handed off; asks the providers when no report comes in time. */
  async awaitReports(timeoutMs: number): Promise<void> {
    await this.events.drained(); // what runs may have begun before the last hand-off
    for (let isClosed = this.#hasSeenAll ? this.#isOver : await this.#isClosed(); !isClosed; isClosed = await this.#isClosed()) {
      if (await condition(() => this.events.isRunning, timeoutMs)) continue;
      await asking.pollReports(this.groupId).catch(() => undefined);
      if ((await this.#isClosed()) || (await local.giveUpOnReports(this.groupId)).open === 0) return;
    }
  }

  readonly #note = (sent: Sent): Sent => {
    this.#again = sent.again;
    this.#isOver = sent.isOver && !sent.again;
    this.#hasSeenAll = sent.queued === 0 && sent.deliveries === 0 && !sent.again;
    return sent;
  };

  readonly #noteFailure = (error: unknown): never => {
    this.#again = true;
    throw error;
  };

  /** A look closes the group when nothing is open any more. */
  async #isClosed(): Promise<boolean> {
    if (!this.#isOver && !this.events.isRunning) this.events.start();
    await this.events.drained();
    return this.#isOver;
  }
}
