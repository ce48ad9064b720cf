/** Reports and events of a group of many come in handfuls: one activity takes them as they come, instead of one for each handful. */
import { setTimeout as sleep } from 'node:timers/promises';
import { activityInfo } from '@temporalio/activity';
import type { Database } from '../../models/db/database.js';
import { applyReports } from '../../models/operations/reports/apply-reports.js';
import { type GroupWork, countGroupWork } from '../../models/operations/messages/group-work.js';
import type { LeftDeliveries } from '../../workflows/contract.js';

export interface TendDeps {
  db: Database;
  /** First attempts of what is due; see `deliverEvents`. */
  deliver: (again: boolean) => Promise<LeftDeliveries>;
  /** The groups that are tended beside each other; this one is among them while it is. */
  tended: Set<string>;
}

/** What is left of a group. */
export interface Tended extends GroupWork {
  /** Nothing is open and nothing to deliver: nobody has to look again. */
  isOver: boolean;
  /** What has to be started for deliveries. */
  left: LeftDeliveries;
}

/** Well below the activity's time-out, which has to leave room for the last deliveries. */
const sliceMs = 20_000;
const marginMs = 5_000;
/** Each look is a handful of statements, whatever it finds: many groups look twice a second, the last ones of a batch sooner. */
const lookEveryMs = { eachGroup: 60, most: 500 };
/** While reports are awaited, the group is given up to its workflow only after so long without any. */
const quietMs = 1_000;
/** Half the activities that a queue works on: above that nobody waits for reports here, as others wait for their hand-off. */
const waitingMost = 50;

export interface TendOptions {
  /** Aborted when the worker stops. */
  signal: AbortSignal;
  /** The first round also takes what an earlier call may have left to others and not told. */
  again: boolean;
  /** The group's hand-off, where it is under way in the same activity; until it has ended there is more to come. */
  handOff?: Promise<GroupWork>;
}

/**
 * Applies reports and delivers events until there are none, and none have come for a moment although some are awaited.
 * Meanwhile the group's workflow is not woken. Ends early when workflows have to be started, or the worker stops.
 */
export async function tendGroup(deps: TendDeps, groupId: string, options: TendOptions): Promise<Tended> {
  deps.tended.add(groupId);
  try {
    return await tendUntilQuiet(deps, groupId, options);
  } finally {
    deps.tended.delete(groupId);
  }
}

async function tendUntilQuiet({ db, deliver, tended }: TendDeps, groupId: string, { signal, ...options }: TendOptions): Promise<Tended> {
  const handOff = watch(options.handOff);
  const rest = () => handOff.orSooner(sleep(Math.min(tended.size * lookEveryMs.eachGroup, lookEveryMs.most)));
  const until = Math.min(Date.now() + sliceMs, timeIsUpAt() - marginMs);
  let left: LeftDeliveries = { children: [], carriers: [] };
  let { again } = options;
  let busyAt = Date.now();
  let work = await applyReports(db, groupId, true);
  const look = async () => {
    work = await countGroupWork(db, groupId);
    if (!work.reports) return;
    work = await applyReports(db, groupId, true);
    busyAt = Date.now();
  };
  /** Nothing is awaited, or what is awaited takes its time. */
  const isQuiet = () => work.open === work.queued || Date.now() - Math.max(busyAt, handOff.endedAt) > quietMs || tended.size > waitingMost;
  const goesOn = () => handOff.state === 'underWay' || (handOff.state !== 'partial' && Date.now() < until);
  while (isEmpty(left) && !signal.aborted && goesOn()) {
    if (work.deliveries > 0 || again) {
      left = await beside(deliver(again), rest, look);
      again = false;
      busyAt = Date.now();
    } else if (handOff.state === 'failed' || (handOff.state === 'whole' && isQuiet())) break;
    else await rest();
    await look();
  }
  await handOff.ended; // what is told of the group is told after that
  work = await applyReports(db, groupId);
  return { ...work, isOver: work.open === 0 && work.deliveries === 0, left };
}

/** Where the time for the hand-off is short, the tender's ends with it. */
function timeIsUpAt(): number {
  const { scheduledTimestampMs, scheduleToCloseTimeoutMs } = activityInfo();
  return scheduleToCloseTimeoutMs > 0 ? scheduledTimestampMs + scheduleToCloseTimeoutMs : Number.POSITIVE_INFINITY;
}

export const isEmpty = ({ children, carriers }: LeftDeliveries) => children.length === 0 && carriers.length === 0;

type HandOffState = 'underWay' | 'whole' | 'partial' | 'failed';

/** How the hand-off is doing. The workflow has to try again one that left something, or that failed. */
function watch(dispatch: Promise<GroupWork> | undefined) {
  const handOff: { state: HandOffState; endedAt: number } = { state: dispatch === undefined ? 'whole' : 'underWay', endedAt: 0 };
  const ended = dispatch
    ?.then(
      ({ queued }) => (queued === 0 ? 'whole' : 'partial'),
      () => 'failed' as const,
    )
    .then((state) => {
      Object.assign(handOff, { state, endedAt: Date.now() });
    });
  return Object.assign(handOff, {
    ended,
    /** Waits no longer than until the hand-off has ended. */
    orSooner: async (rest: Promise<unknown>): Promise<void> => {
      await (handOff.state === 'underWay' ? Promise.race([rest, ended]) : rest);
    },
  });
}

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
