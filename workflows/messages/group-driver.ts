import { condition, defineSignal, setHandler } from '@temporalio/workflow';
import type { Dispatched } from '../../activities/handoff/dispatch.js';
import type { SendGroupResult } from '../../activities/groups/groups.js';
import { delivering, dispatching, local } from '../activities.js';
import { batchChangedSignal, cancelledSignal, queues, reportsSignal } from '../contract.js';
import { EventPump } from '../webhooks/event-pump.js';
import { queryMissingReports } from './query-missing-reports.js';

/**
 * The state of a `sendGroup` workflow. One activity hands the group off, applies its reports and delivers its events for as long as there
 * are any. Only the first report after a silence wakes the workflow.
 */
export class GroupDriver {
  readonly events: EventPump;
  /** A message of the group or its batch was changed since the last hand-off began. */
  #isChanged = false;
  /** The first hand-off has begun. */
  #hasBegun = false;
  /** Nothing of the group is open, and every event had its first attempt. */
  #isOver = false;
  /** `#isOver` was read after the last hand-off, so it is up to date. */
  #isOverKnown = false;
  /** An activity that died may have left deliveries to other workflows without reporting them to this one. */
  #mayHaveLeft = false;

  /** @param batchId the batch of a page */
  constructor(
    private readonly groupId: string,
    private readonly batchId?: string,
  ) {
    this.events = new EventPump(async () => {
      if (this.#isOver) return { children: [], retriers: [] };
      const { isOver, left } = await delivering(this.#queue).driveGroup(groupId, batchId !== undefined, this.#mayHaveLeft);
      this.#isOver = isOver;
      this.#mayHaveLeft = false;
      return left;
    });
  }

  get #queue(): string {
    return this.batchId === undefined ? queues.messages : queues.bulk;
  }

  /** Registers the signal handlers. Temporal buffers earlier signals, so none is lost. */
  listen(): void {
    setHandler(defineSignal(reportsSignal), () => this.events.start());
    for (const signal of [cancelledSignal, batchChangedSignal]) {
      setHandler(defineSignal(signal), () => {
        this.#isChanged = true;
        this.events.start();
      });
    }
  }

  /** Waits for this time. Ends early when a message is cancelled, or the batch resumed or cancelled. */
  async pause(forMs: number): Promise<void> {
    if (forMs > 0) await condition(() => this.#isChanged, forMs);
  }

  /**
   * Hands off what is due. The first hand-off is one activity with the reports and events that follow from it. A later one, and one while
   * events are delivered, is an activity of its own, so that reports of messages already taken are applied while it waits for its next attempt.
   */
  handOff(timeoutMs: number): Promise<Dispatched> {
    const { dispatchMessages, sendGroup } = dispatching(this.#queue, timeoutMs);
    this.#isChanged = false;
    this.#isOverKnown = false;
    if (this.#hasBegun || this.events.isRunning) return dispatchMessages(this.groupId, this.batchId);
    this.#hasBegun = true;
    return this.events.during<SendGroupResult>(sendGroup(this.groupId, this.batchId).then(this.#note, this.#noteFailure));
  }

  /** Waits until nothing of the group is open. Queries the providers when no report arrives in time. */
  async awaitReports(timeoutMs: number): Promise<void> {
    await this.events.drained(); // a run that began before the last hand-off ended may not have seen all of it
    let isOver = this.#isOverKnown ? this.#isOver : await this.#lookIfOver();
    while (!isOver) {
      const hasReport = await condition(() => this.events.isRunning, timeoutMs);
      if (!hasReport) {
        await queryMissingReports(this.groupId, this.#queue);
        if ((await this.#lookIfOver()) || (await local.giveUpOnReports(this.groupId)).open === 0) return;
      }
      isOver = await this.#lookIfOver();
    }
  }

  readonly #note = (sent: SendGroupResult): SendGroupResult => {
    this.#mayHaveLeft = sent.again;
    this.#isOver = sent.isOver && !sent.again;
    this.#isOverKnown = sent.queued === 0 && sent.deliveries === 0 && !sent.again;
    return sent;
  };

  readonly #noteFailure = (error: unknown): never => {
    this.#mayHaveLeft = true;
    throw error;
  };

  /** Runs the activity once more, which closes the group when nothing of it is open. */
  async #lookIfOver(): Promise<boolean> {
    if (!this.#isOver && !this.events.isRunning) this.events.start();
    await this.events.drained();
    return this.#isOver;
  }
}
