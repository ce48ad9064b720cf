/** Drives a group of many messages: one activity applies all reports and delivers all events, instead of one activity for each. */
import { setTimeout as sleep } from 'node:timers/promises';
import { activityInfo } from '@temporalio/activity';
import type { Database } from '../../models/db/database.js';
import { applyReports } from '../../models/operations/reports/apply-reports.js';
import { type GroupWork, countGroupWork } from '../../models/operations/messages/count-group-work.js';
import type { LeftDeliveries } from '../../workflows/contract.js';
import { msLeft } from '../handoff/next-try.js';

export interface DriveDeps {
  db: Database;
  /** Makes the first attempts of due deliveries; see `attemptFirst`. */
  deliver: (retakesLeft: boolean) => Promise<LeftDeliveries>;
  /** The groups that this process drives at the moment in the slots of the same queue, including this one. */
  driven: Set<string>;
  /** With more driven groups, others wait for their hand-off. Then an activity waits for reports only for `crowdedMs` after its start. */
  waitingMax: number;
  crowdedMs: number;
  /** See `applyReports`. */
  key: Buffer;
}

/** The state of a group after it was driven. */
export interface GroupProgress extends GroupWork {
  /** No message is open and no event is due. The workflow can close. */
  isOver: boolean;
  /** Workflows to start for deliveries. */
  left: LeftDeliveries;
}

/** Well below the timeout of the activity, which includes the last deliveries. */
const sliceMs = 20_000;
const marginMs = 5_000;
/** Poll interval: 60 ms for each driven group, 500 ms at most. A poll costs a few statements. */
const lookEveryMs = { eachGroup: 60, max: 500 };
/** After this time without a report, the activity ends and the workflow waits for the next one. */
const quietMs = 1_000;

export interface DriveOptions {
  /** Aborted when the worker stops. */
  signal: AbortSignal;
  /** The first round includes deliveries that an earlier call may have left to workflows that were never started. */
  retakesLeft: boolean;
  /** The hand-off of the group, if it runs in the same activity. The group is driven at least until it has ended. */
  handOff?: Promise<GroupWork>;
}

/**
 * Applies reports and delivers events until none has arrived for a second. Reports do not wake the workflow of the group meanwhile.
 * Ends early when workflows have to be started, the worker stops, the slice of time is over, or too many other groups of the queue are driven.
 */
export async function driveGroup(deps: DriveDeps, groupId: string, options: DriveOptions): Promise<GroupProgress> {
  deps.driven.add(groupId);
  try {
    return await driveUntilQuiet(deps, groupId, options);
  } finally {
    deps.driven.delete(groupId);
  }
}

async function driveUntilQuiet(deps: DriveDeps, groupId: string, options: DriveOptions): Promise<GroupProgress> {
  const { db, deliver, driven, key } = deps;
  const handOff = watch(options.handOff);
  const rest = () => handOff.orSooner(sleep(Math.min(driven.size * lookEveryMs.eachGroup, lookEveryMs.max)));
  const mayWait = waitLimitOf(deps);
  const until = performance.now() + Math.min(sliceMs, leftMs() - marginMs);
  let left: LeftDeliveries = { children: [], retriers: [] };
  let { retakesLeft } = options;
  let busyAt = performance.now();
  let hasSeenEnd = false;
  let work = await applyReports(db, groupId, { looksAgain: true, key });
  const look = async () => {
    hasSeenEnd = handOff.state !== 'running';
    work = await countGroupWork(db, groupId);
    if (!work.reports) return;
    work = await applyReports(db, groupId, { looksAgain: true, key });
    busyAt = performance.now();
  };
  const isQuiet = () => {
    // A look that began before the hand-off failed may have missed what it recorded.
    if (handOff.state !== 'whole') return handOff.state === 'failed' && hasSeenEnd;
    const awaitsReports = work.open !== work.queued && mayWait();
    return !awaitsReports || performance.now() - Math.max(busyAt, handOff.endedAt) > quietMs;
  };
  /** The hand-off is awaited in any case. After a partial one the workflow has to repeat it. */
  const mayContinue = () => handOff.state === 'running' || (handOff.state !== 'partial' && performance.now() < until);
  while (isEmpty(left) && !options.signal.aborted && mayContinue()) {
    const isDue = work.deliveries > 0 || retakesLeft;
    if (!isDue && isQuiet()) break;
    if (isDue) {
      left = await beside(deliver(retakesLeft), rest, look);
      retakesLeft = false;
      busyAt = performance.now();
    } else if (handOff.state !== 'failed') await rest();
    await look();
  }
  await handOff.ended; // so that the result includes the hand-off
  work = await applyReports(db, groupId, { key });
  return { ...work, isOver: work.open === 0 && work.deliveries === 0, left };
}

/** Tells at any later time whether the activity, which begins now, may still wait for reports. */
function waitLimitOf({ driven, waitingMax, crowdedMs }: DriveDeps): () => boolean {
  const crowdedUntil = performance.now() + crowdedMs;
  return () => driven.size <= waitingMax || performance.now() < crowdedUntil;
}

/** The time for the hand-off also limits this activity. */
const leftMs = () => (activityInfo().scheduleToCloseTimeoutMs > 0 ? msLeft() : Number.POSITIVE_INFINITY);

export const isEmpty = ({ children, retriers }: LeftDeliveries) => children.length === 0 && retriers.length === 0;

type HandOffState = 'running' | 'whole' | 'partial' | 'failed';

/** Watches the hand-off. The workflow repeats a hand-off that was partial or failed. */
function watch(dispatch: Promise<GroupWork> | undefined) {
  const handOff: { state: HandOffState; endedAt: number } = { state: dispatch === undefined ? 'whole' : 'running', endedAt: 0 };
  const ended = dispatch
    ?.then(
      ({ queued }) => (queued === 0 ? 'whole' : 'partial'),
      () => 'failed' as const,
    )
    .then((state) => {
      Object.assign(handOff, { state, endedAt: performance.now() });
    });
  return Object.assign(handOff, {
    ended,
    /** Waits for the pause, but not longer than the hand-off. */
    orSooner: async (rest: Promise<unknown>): Promise<void> => {
      await (handOff.state === 'running' ? Promise.race([rest, ended]) : rest);
    },
  });
}

/** Continues to apply reports while the work runs, so that an endpoint that hangs does not delay the status of the messages. */
async function beside<Result>(work: Promise<Result>, rest: () => Promise<void>, look: () => Promise<void>): Promise<Result> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await Promise.race([done, rest()]);
    if (!isDone) await look();
  }
  return done;
}
