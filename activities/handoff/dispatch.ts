/** Hands the due messages of one group to their providers, round by round. */
import { ApplicationFailure, activityInfo, heartbeat } from '@temporalio/activity';
import type { Database } from '../../models/db/database.js';
import { batchPace, type Pace } from '../../models/operations/batches/batch-pace.js';
import { cancelPage } from '../../models/operations/batches/change-batch.js';
import { completeBatchIfDone } from '../../models/operations/batches/complete-batch.js';
import { giveUpOnHandoffs } from '../../models/operations/handoff/give-up.js';
import { type GroupWork, countGroupWork } from '../../models/operations/messages/group-work.js';
import { nextHandoffInMs, type UncertainWaits } from '../../models/operations/handoff/uncertain-handoffs.js';
import { Rounds } from './rounds.js';
import type { RoundDeps } from './round-deps.js';
import { routeOfRound } from './routing.js';
import { Turn } from './turn.js';

/** What is left of a group after a dispatch. */
export interface Dispatched extends GroupWork {
  /** The activity's time was up while there was more to do, or the worker stops: call it again at once. */
  more: boolean;
  /** Milliseconds until it is worth calling again: the provider or the batch has no time yet, or the next message is not due. */
  retryInMs?: number;
}

/** The group to dispatch. */
export interface DispatchOf {
  groupId: string;
  /** Of a page. */
  batchId: string | undefined;
  /** Aborted when the worker stops, or another one has the activity: no further round begins. */
  signal: AbortSignal;
}

const roundMax = 25;
/** Rounds a second where there is a rate: small rounds keep the pace even, and a pause close. */
const roundsPerSecond = 4;
/** A page of a slow batch is dispatched in slices, each well below the activity's time-out. */
const sliceMs = 20_000;
const alone: Pace = { cancelled: false, rate: null, channel: null };

/**
 * One slice of the dispatch of a group. When it returns or throws, no call is under way and every answer is recorded.
 * @throws ApplicationFailure `NotHandedOff`, retryable, when the provider took nothing of what was tried, or has no time yet
 */
export async function dispatch(deps: RoundDeps, of: DispatchOf): Promise<Dispatched> {
  const { db, waits } = deps;
  const { groupId, batchId } = of;
  const rounds = new Rounds(deps, groupId, batchId !== undefined);
  const until = Date.now() + sliceMs;
  const turn = new Turn(deps, { ...of, until });
  const { more, waitMs, isResting } = await roundsToTheEnd(deps, of, { rounds, turn, until });
  if (batchId !== undefined) await finishPage(db, groupId, batchId, waits);
  if (rounds.tookNothing) throw notHandedOff('the provider took none of the messages', rounds.retryAfterMs);
  if (waitMs > 0 && rounds.settled === 0 && batchId === undefined && hasTimeFor(waitMs)) {
    heartbeat(turn.ticket);
    throw notHandedOff('the provider has no time yet', waitMs);
  }
  const state = await countGroupWork(db, groupId);
  const waitsForMore = state.queued > 0 && !state.paused && !more;
  const retryInMs = waitMs > 0 || !waitsForMore ? waitMs : await nextHandoffInMs(db, groupId, waits);
  if (isResting && waitsForMore && retryInMs === 0 && rounds.settled === 0) throw notHandedOff('waits for an account that is ill', 0);
  return { ...state, more, ...(retryInMs > 0 ? { retryInMs } : {}) };
}

interface Slice {
  rounds: Rounds;
  turn: Turn;
  /** By `Date.now()`: no round begins later. */
  until: number;
}

interface End {
  more: boolean;
  /** Milliseconds until the turn of the group may come. */
  waitMs: number;
  /** An account is left alone, and what it may have taken waits. */
  isResting: boolean;
}

/** Whatever happens between rounds: when this returns or throws, every call has ended and every answer is recorded. */
async function roundsToTheEnd(deps: RoundDeps, of: DispatchOf, slice: Slice): Promise<End> {
  try {
    return await roundAfterRound(deps, of, slice);
  } finally {
    await slice.rounds.finish();
  }
}

async function roundAfterRound(deps: RoundDeps, { groupId, batchId, signal }: DispatchOf, { rounds, turn, until }: Slice): Promise<End> {
  const { db, throughput } = deps;
  let isResting = false;
  let mayProbe = true;
  for (let round = 0; ; round += 1) {
    const pace = batchId === undefined ? alone : await batchPace(db, batchId);
    if (pace.cancelled) return { more: false, waitMs: 0, isResting };
    const route = await routeOfRound(deps, groupId, { round, mayProbe });
    mayProbe &&= !route.isProbe;
    isResting = route.resting.length > 0;
    const first = pace.channel === null ? undefined : route.choices[pace.channel].accounts[0];
    const limit = first === undefined ? Number.POSITIVE_INFINITY : throughput.limitOf(first.account);
    const perSecond = Math.min(pace.rate ?? Number.POSITIVE_INFINITY, limit);
    const size = route.isProbe ? 1 : Math.min(roundMax, Math.max(1, Math.round(perSecond / roundsPerSecond)));
    // The claim comes after the wait: a pause that is answered meanwhile is kept.
    const waitMs = await turn.come(route, { size, except: rounds.left, rate: pace.rate, limit });
    if (signal.aborted) return { more: true, waitMs: 0, isResting };
    const isPaced = Number.isFinite(perSecond);
    if (waitMs > 0 || !(await rounds.next(route, { limit: size, isPaced }))) return { more: false, waitMs, isResting };
    if (signal.aborted || Date.now() > until) return { more: true, waitMs: 0, isResting };
  }
}

/** What came back after its batch was cancelled is cancelled too; where nobody knows what became of it, it waits for its report first. */
async function finishPage(db: Database, groupId: string, batchId: string, waits: UncertainWaits): Promise<void> {
  const { cancelled } = await batchPace(db, batchId);
  if (cancelled) {
    await cancelPage(db, groupId);
    await giveUpOnHandoffs(db, groupId, waits);
  }
  await completeBatchIfDone(db, batchId);
}

/**
 * Whether the wait fits into the time for the hand-off so well that it may be spent as a retry, which adds no event. Otherwise
 * the workflow waits, and the next dispatch has all of that time again: waiting for one's turn takes nothing of it.
 */
function hasTimeFor(waitMs: number): boolean {
  const { scheduledTimestampMs, scheduleToCloseTimeoutMs } = activityInfo();
  return Date.now() - scheduledTimestampMs + waitMs < scheduleToCloseTimeoutMs / 2;
}

function notHandedOff(message: string, retryAfterMs: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'NotHandedOff',
    message,
    ...(retryAfterMs > 0 ? { nextRetryDelay: retryAfterMs } : {}),
  });
}
