/** Reports and events of a page come in hundreds: one activity takes them as they come, instead of one for each handful. */
import { setTimeout as sleep } from 'node:timers/promises';
import { activityInfo } from '@temporalio/activity';
import type { Database } from '../models/database.js';
import { applyReports } from '../models/operations/apply-reports.js';
import { type GroupWork, groupState } from '../models/operations/group-work.js';
import type { LeftDeliveries } from '../workflows/contract.js';

export interface TendDeps {
  db: Database;
  /** First attempts of what is due; see `deliverEvents`. */
  deliver: (again: boolean) => Promise<LeftDeliveries>;
  /** The pages that are tended beside each other; this one is among them while it is. */
  tended: Set<string>;
}

/** What is left of a page. */
export interface Tended {
  /** Messages that wait for a hand-off or a report. */
  open: number;
  /** Nothing is open and nothing to deliver: nobody has to look again. */
  isOver: boolean;
  /** What has to be started for deliveries. */
  left: LeftDeliveries;
}

/** Well below the activity's time-out, which has to leave room for the last deliveries. */
const sliceMs = 20_000;
/** Each look is a handful of statements, whatever it finds: many pages look twice a second, the last ones of a batch sooner. */
const lookEveryMs = { eachPage: 60, most: 500 };
/** While reports are awaited, the page is given up to its workflow only after so long without any. */
const quietMs = 1_000;

/**
 * Applies reports and delivers events until there are none, and none have come for a moment although some are awaited.
 * Meanwhile the page's workflow is not woken. Ends early when workflows have to be started, or the worker stops.
 */
export async function tendPage(deps: TendDeps, groupId: string, signal: AbortSignal): Promise<Tended> {
  deps.tended.add(groupId);
  try {
    return await tendUntilQuiet(deps, groupId, signal);
  } finally {
    deps.tended.delete(groupId);
  }
}

async function tendUntilQuiet({ db, deliver, tended }: TendDeps, groupId: string, signal: AbortSignal): Promise<Tended> {
  const rest = () => sleep(Math.min(tended.size * lookEveryMs.eachPage, lookEveryMs.most));
  const until = Date.now() + sliceMs;
  let left: LeftDeliveries = { children: [], carriers: [] };
  let again = activityInfo().attempt > 1;
  let busyAt = Date.now();
  let work = await applyReports(db, groupId, true);
  const look = async () => {
    work = await groupState(db, groupId);
    if (!work.reports) return;
    work = await applyReports(db, groupId, true);
    busyAt = Date.now();
  };
  while (isEmpty(left) && !signal.aborted && Date.now() < until) {
    if (work.deliveries > 0 || again) {
      left = await beside(deliver(again), rest, look);
      again = false;
      busyAt = Date.now();
    } else if (isQuiet(work, busyAt)) break;
    else await rest();
    await look();
  }
  const { open, deliveries } = await applyReports(db, groupId);
  return { open, isOver: open === 0 && deliveries === 0, left };
}

const isEmpty = ({ children, carriers }: LeftDeliveries) => children.length === 0 && carriers.length === 0;

/** Nothing is awaited, or what is awaited takes its time. */
const isQuiet = ({ open, queued }: GroupWork, busyAt: number) => open === queued || Date.now() - busyAt > quietMs;

/** Goes on looking while the work is under way: an endpoint that hangs must not delay what is known of the messages. */
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
