/** What the watcher does about a group of messages that is open: decided from what the database knows of it. */
import type { Channel } from '../../channels.js';

/** What the database knows of a group. Times are milliseconds by the database's clock. */
export interface GroupState {
  /** Messages that nobody has decided on. */
  accepting: number;
  /** Queued messages whose time has come. */
  due: number;
  /** Until the next queued message is due that is not due yet; null when there is none. */
  dueInMs: number | null;
  /** Messages that wait for a report. */
  awaiting: number;
  /** Since the last of those was handed off. */
  awaitedMs: number;
  channel: Channel;
  /** Of a page of a batch; null for others. */
  batchStatus: string | null;
  /** A hand-off was tried lately: somebody drives the group. */
  triedLately: boolean;
}

/**
 * `fence`: nobody decided on it in time. `drive`: its workflow has to run. `decide`: its reports did not come in time. `close`: nothing is
 * open. `wait`: it waits rightly.
 */
export interface Verdict {
  action: 'fence' | 'drive' | 'decide' | 'close' | 'wait';
  /** When the watcher looks again, if the group is still open then. */
  lookInMs: number;
}

/** A group that is being driven is asked about again after this time. Bounds how long a workflow that was lost later goes unnoticed. */
const againMs = 120_000;
/** What is due is with its workflow for so long; the watcher comes after that. */
const graceMs = 10_000;
/** The workflow decides first. */
const reportGraceMs = 60_000;
/** Pages of a batch that is resumed are told apart from that. */
const pausedMs = 600_000;

/**
 * A group that waits for reports needs no workflow until its time-out: a report that comes starts one itself. So it costs nothing until then,
 * and a Temporal server that lost its data has nothing to be given back for it.
 * @param reportTimeoutMs how long a report is waited for, by channel
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
    if (leftMs <= 0) return { action: 'decide', lookInMs: againMs };
    waits.push(leftMs);
  }
  return waits.length === 0 ? { action: 'close', lookInMs: againMs } : { action: 'wait', lookInMs: Math.min(...waits) };
}
