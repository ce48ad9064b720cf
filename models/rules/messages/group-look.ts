/** What the watcher does with an open group of messages, by its state in the database. */
import type { Channel } from '../../channels.js';

/** The state of a group in the database. Times are milliseconds by the database's clock. */
export interface GroupState {
  /** How many messages are undecided. */
  accepting: number;
  /** How many queued messages are due. */
  due: number;
  /** The time until the next queued message that is not due yet; null if there is none. */
  dueInMs: number | null;
  /** How many messages wait for a report. */
  awaiting: number;
  /** The time since the last of those was handed off. */
  awaitedMs: number;
  channel: Channel;
  /** For a page of a batch; null for other groups. */
  batchStatus: string | null;
  /** A hand-off was attempted recently, so a workflow drives the group. */
  triedLately: boolean;
}

/**
 * `fence`: it was not decided in time. `drive`: its workflow must run. `give_up`: its reports did not come in time. `close`: it has no open
 * work. `wait`: its wait is correct.
 */
export interface Verdict {
  action: 'fence' | 'drive' | 'give_up' | 'close' | 'wait';
  /** When the watcher checks again, if the group is still open then. */
  lookInMs: number;
}

/** The time to the next check of a group that is driven. It limits how long the loss of a workflow goes unnoticed. */
const againMs = 120_000;
/** Its workflow has this much time for due messages before the watcher acts. */
const graceMs = 10_000;
/** The workflow has this much more time to give up on missing reports before the watcher does. */
const reportGraceMs = 60_000;
/** The pages of a batch that is resumed are notified separately. */
const pausedMs = 600_000;

/**
 * A group that waits for reports needs no workflow until its time-out, because a report starts one. So it costs nothing until then, and a
 * Temporal server that lost its data needs nothing restored for it.
 * @param reportTimeoutMs how long to wait for a report, by channel
 */
export function lookAt(group: GroupState, reportTimeoutMs: Readonly<Record<Channel, number>>): Verdict {
  const { accepting, due, dueInMs, awaiting, awaitedMs, channel, batchStatus, triedLately } = group;
  // A batch is decided as a whole.
  if (accepting > 0) return { action: batchStatus === null ? 'fence' : 'wait', lookInMs: againMs };
  if (due > 0 && batchStatus === 'paused') return { action: 'wait', lookInMs: pausedMs };
  if (due > 0) return { action: triedLately ? 'wait' : 'drive', lookInMs: againMs };
  const waits = dueInMs === null ? [] : [dueInMs + graceMs];
  if (awaiting > 0) {
    const leftMs = reportTimeoutMs[channel] - awaitedMs + reportGraceMs;
    if (leftMs <= 0) return { action: 'give_up', lookInMs: againMs };
    waits.push(leftMs);
  }
  return waits.length === 0 ? { action: 'close', lookInMs: againMs } : { action: 'wait', lookInMs: Math.min(...waits) };
}
