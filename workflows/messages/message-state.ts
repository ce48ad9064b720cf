import { condition, defineSignal, setHandler } from '@temporalio/workflow';
import type { GroupWork } from '../../models/operations/messages/count-group-work.js';
import { delivering, local } from '../activities.js';
import { cancelledSignal, queues, reportsSignal } from '../contract.js';
import { EventPump } from '../webhooks/event-pump.js';

/** The state of a `sendMessage` workflow: what its signals have announced, and the events that it delivers. */
export class MessageState {
  readonly events: EventPump;
  /** Reports may wait in the inbox. */
  hasReports = false;
  /** The message was cancelled since the last hand-off began. */
  isCancelled = false;
  /** The outcome of the message is final. */
  isClosed = false;

  constructor(readonly messageId: string) {
    this.events = new EventPump(() => delivering(queues.messages).deliverEvents(messageId));
  }

  /** Registers the signal handlers. Temporal buffers earlier signals, so none is lost. */
  listen(): void {
    setHandler(defineSignal(reportsSignal), () => {
      this.hasReports = true;
    });
    setHandler(defineSignal(cancelledSignal), () => {
      this.isCancelled = true;
      this.events.start();
    });
  }

  /** Applies the reports of the inbox and delivers the events that they cause. */
  async applyReports(): Promise<GroupWork> {
    this.hasReports = false;
    const work = await local.applyReports(this.messageId);
    this.events.start(work.deliveries);
    return work;
  }

  /**
   * Awaits a hand-off and applies the reports that arrive meanwhile. If the provider's answer is lost, a report proves the hand-off.
   * After that the reports are looked at once more, because the result of the hand-off may be older than the reports.
   */
  async applyReportsDuring<Result>(handOff: Promise<Result>): Promise<Result> {
    let isDone = false;
    let hasApplied = false;
    const done = handOff.finally(() => {
      isDone = true;
    });
    for (;;) {
      await Promise.race([done, condition(() => this.hasReports)]);
      if (isDone) break;
      await this.applyReports();
      hasApplied = true;
    }
    this.hasReports ||= hasApplied;
    return done;
  }

  /** Waits for this time, and applies the reports that arrive meanwhile. Ends early when the message is cancelled or no longer queued. */
  async pause(forMs: number): Promise<void> {
    const until = Date.now() + forMs;
    for (let leftMs = forMs; leftMs > 0 && !this.isCancelled; leftMs = until - Date.now()) {
      await condition(() => this.isCancelled || this.hasReports, leftMs);
      if (this.hasReports && (await this.applyReports()).queued === 0) return;
    }
  }
}
