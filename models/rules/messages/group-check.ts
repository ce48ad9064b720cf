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
  /** The time since the first of those was handed off. */
  awaitedMs: number;
  channel: Channel;
  /** For a page of a batch; null for other groups. */
  batchStatus: string | null;
  /** While its batch is paused: the time until its next message expires, negative if one has expired. Otherwise null, also if none will. */
  pausedExpiryInMs: number | null;
  /** A hand-off was attempted recently, so a workflow drives the group. */
  triedLately: boolean;
}

/** `fence`: it was not decided in time. `drive`: its workflow must run. `close`: it has no open work. `wait`: its wait is correct. */
export interface CheckDecision {
  action: 'fence' | 'drive' | 'close' | 'wait';
  /** Besides: reports did not come in time. The messages that wait for them are given up, whatever the others of the group wait for. */
  givesUp: boolean;
  /** When the watcher checks again, if the group is still open then. */
  checkInMs: number;
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
 * A group that waits for reports needs no workflow until its timeout, because a report starts one. So it costs nothing until then, and a
 * Temporal server that lost its data needs nothing restored for it.
 * @param reportTimeoutMs how long to wait for a report, by channel
 */
export function decideCheck(group: GroupState, reportTimeoutMs: Readonly<Record<Channel, number>>): CheckDecision {
  const { accepting, awaiting, awaitedMs, channel, batchStatus } = group;
  // A batch is decided as a whole.
  if (accepting > 0) return { action: batchStatus === null ? 'fence' : 'wait', givesUp: false, checkInMs: againMs };
  const leftMs = awaiting === 0 ? Number.POSITIVE_INFINITY : reportTimeoutMs[channel] - awaitedMs + reportGraceMs;
  const givesUp = leftMs <= 0;
  const { action, checkInMs } = decideQueuedCheck(group);
  return { action, givesUp, checkInMs: Math.min(checkInMs, givesUp ? againMs : leftMs) };
}

/** The same for the messages that were not handed off. They neither wait for the reports of the others, nor do these wait for them. */
function decideQueuedCheck({
  due,
  dueInMs,
  awaiting,
  batchStatus,
  pausedExpiryInMs,
  triedLately,
}: GroupState): Pick<CheckDecision, 'action' | 'checkInMs'> {
  // Messages also expire while their batch is paused, and only the workflow fails them.
  const expiryInMs = pausedExpiryInMs ?? Number.POSITIVE_INFINITY;
  if (due > 0 && batchStatus === 'paused' && expiryInMs > 0) return { action: 'wait', checkInMs: Math.min(pausedMs, expiryInMs + graceMs) };
  if (due > 0) return { action: triedLately ? 'wait' : 'drive', checkInMs: againMs };
  if (dueInMs !== null) return { action: 'wait', checkInMs: dueInMs + graceMs };
  return awaiting > 0 ? { action: 'wait', checkInMs: Number.POSITIVE_INFINITY } : { action: 'close', checkInMs: againMs };
}
