import { condition } from '@temporalio/workflow';
import { asking, delivering, local } from './activities.js';
import { queues } from './contract.js';
import { EventPump } from './event-pump.js';

/**
 * Reports and events of a page of a batch, which come in hundreds: one activity takes both for as long as they come, and only
 * the first report after a silence wakes the workflow.
 */
export class PageTender {
  readonly events: EventPump;
  #isOver = false;

  constructor(private readonly groupId: string) {
    this.events = new EventPump(async () => {
      if (this.#isOver) return { children: [], carriers: [] };
      const { isOver, left } = await delivering(queues.bulk).tendPage(groupId);
      this.#isOver = isOver;
      return left;
    });
  }

  /** Waits until nothing of the page is open, after all was handed off; asks the providers when no report comes in time. */
  async awaitReports(timeoutMs: number): Promise<void> {
    await this.events.drained(); // what runs may have begun before the last hand-off
    while (!(await this.#isClosed())) {
      if (await condition(() => this.events.isRunning, timeoutMs)) continue;
      await asking.pollReports(this.groupId).catch(() => undefined);
      if ((await this.#isClosed()) || (await local.giveUpOnReports(this.groupId)).open === 0) return;
    }
  }

  /** A look closes the page when nothing is open any more. */
  async #isClosed(): Promise<boolean> {
    if (!this.#isOver && !this.events.isRunning) this.events.start();
    await this.events.drained();
    return this.#isOver;
  }
}
