/** Hands the due messages of one group to their providers, round by round. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure, activityInfo, heartbeat } from '@temporalio/activity';
import type { Database } from '../models/database.js';
import { batchPace, type Pace, reserveSlots } from '../models/operations/batch-pace.js';
import { cancelPage } from '../models/operations/change-batch.js';
import { completeBatchIfDone } from '../models/operations/complete-batch.js';
import { giveUpOnHandoffs } from '../models/operations/give-up.js';
import { type GroupWork, groupState } from '../models/operations/group-work.js';
import { type RoundDeps, Rounds } from './rounds.js';
import { routeOfRound } from './routing.js';
import { Turn } from './turn.js';

/** What is left of a group after a dispatch. */
export interface Dispatched extends GroupWork {
  /** The activity's time was up while there was more to do: call it again at once. */
  more: boolean;
  /** The provider wants to be left alone for so long. */
  retryInMs?: number;
}

const roundMax = 25;
/** Rounds a second where there is a rate: small rounds keep the pace even, and a pause close. */
const roundsPerSecond = 4;
/** A page of a slow batch is dispatched in slices, each well below the activity's time-out. */
const sliceMs = 20_000;
const alone: Pace = { cancelled: false, rate: null, channel: null };

/**
 * One slice of the dispatch of a group.
 * @throws ApplicationFailure `NotHandedOff`, retryable, when the provider took nothing of what was tried, or has no time yet
 */
export async function dispatch(deps: RoundDeps, groupId: string, batchId: string | undefined): Promise<Dispatched> {
  const { db, throughput } = deps;
  const until = Date.now() + sliceMs;
  const rounds = new Rounds(deps, groupId, batchId !== undefined);
  const turn = new Turn(deps, groupId, batchId !== undefined);
  let more = false;
  let waitMs = 0;
  let isResting = false;
  let mayProbe = true;
  for (let round = 0; ; round += 1) {
    const pace = batchId === undefined ? alone : await batchPace(db, batchId);
    if (pace.cancelled) break;
    const route = await routeOfRound(deps, groupId, { round, mayProbe });
    mayProbe &&= !route.isProbe;
    isResting = route.resting.length > 0;
    const first = pace.channel === null ? undefined : route.choices[pace.channel].accounts[0];
    const limit = first === undefined ? Number.POSITIVE_INFINITY : throughput.limitOf(first.account);
    const wanted = Math.round(Math.min(pace.rate ?? Number.POSITIVE_INFINITY, limit) / roundsPerSecond);
    const size = route.isProbe ? 1 : Math.min(roundMax, Math.max(1, wanted));
    // The claim comes after the wait: a pause that is answered meanwhile is kept.
    if (batchId !== undefined && pace.rate !== null) await sleep(await reserveSlots(db, batchId, size));
    waitMs = await turn.come(route, size, rounds.left, until);
    if (waitMs > 0 || !(await rounds.next(route, size))) break;
    more = Date.now() > until;
    if (more) break;
  }
  await rounds.finish();
  if (batchId !== undefined) await finishPage(db, groupId, batchId);
  if (rounds.tookNothing) throw notHandedOff('the provider took none of the messages', rounds.retryAfterMs);
  if (waitMs > 0 && rounds.settled === 0 && hasTimeFor(waitMs)) {
    heartbeat(turn.ticket);
    throw notHandedOff('the provider has no time yet', waitMs);
  }
  const state = await groupState(db, groupId);
  if (isResting && !state.paused && state.queued > 0 && rounds.settled === 0) throw notHandedOff('waits for an account that is ill', 0);
  return { ...state, more, ...(waitMs > 0 ? { retryInMs: waitMs } : {}) };
}

/** What came back after its batch was cancelled is cancelled too; where nobody knows what became of it, that is said. */
async function finishPage(db: Database, groupId: string, batchId: string): Promise<void> {
  const { cancelled } = await batchPace(db, batchId);
  if (cancelled) {
    await cancelPage(db, groupId);
    await giveUpOnHandoffs(db, groupId);
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
