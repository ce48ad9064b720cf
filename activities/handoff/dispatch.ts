/** Hands the due messages of one group to their providers, round by round. */
import type { Database } from '../../models/db/database.js';
import { batchPace, type BatchPace } from '../../models/operations/batches/batch-pace.js';
import { cancelPage } from '../../models/operations/batches/change-batch.js';
import { workMetrics } from '../../models/metrics/catalogue.js';
import { completePage } from '../../models/operations/batches/complete-batch-if-done.js';
import { expireWaiting, nextExpiryInMs } from '../../models/operations/handoff/expire-waiting.js';
import { giveUpOnHandoffs } from '../../models/operations/handoff/give-up.js';
import { type GroupWork, countGroupWork } from '../../models/operations/messages/count-group-work.js';
import { nextHandoffInMs } from '../../models/operations/handoff/uncertain-handoffs.js';
import { storeDetails } from '../support/heartbeat.js';
import { hasTimeFor, notHandedOff, notHandedOffUntilExpiry, untilNextTry, waitAfter } from './next-try.js';
import { GroupSlot } from './group-slot.js';
import { Rounds } from './rounds.js';
import { type RoundDeps, sendingRules } from './round-deps.js';
import { routeOfRound } from './routing.js';
import { Turn } from './turn.js';

/** The state of a group after a dispatch. */
export interface Dispatched extends GroupWork {
  /** The time of the slice was over, or the worker stops. The workflow calls the activity again at once. */
  more: boolean;
  /**
   * Milliseconds until the next call is useful: a limit or rate has to be waited for, or no message is due. While the batch is paused: until the
   * next message expires. After a hand-off that failed in `sendGroup`: the wait that its failure asked for.
   */
  retryInMs?: number;
}

/** The group to dispatch. */
export interface DispatchTarget {
  groupId: string;
  /** The batch of a page. */
  batchId: string | undefined;
  /** Aborted when the worker stops, or another one has the activity. No further round begins then. */
  signal: AbortSignal;
  /** The workflow delivers no event of the group until the activity has succeeded. */
  holdsEvents?: boolean;
}

const roundMax = 25;
/** Rounds a second when there is a rate. Small rounds keep the rate even, and let a pause take effect soon. */
const roundsPerSecond = 4;
/** A dispatch begins no round after this time, well below the timeout of the activity. */
const sliceMs = 20_000;
const alone: BatchPace = { cancelled: false, paused: false, rate: null, channel: null };

/**
 * Dispatches one slice of a group. When it returns or throws, all calls have ended and every answer is recorded.
 * @throws ApplicationFailure `NotHandedOff`, retryable, when no message was taken, or the provider's limit has to be waited for
 */
export async function dispatch(deps: RoundDeps, target: DispatchTarget): Promise<Dispatched> {
  const { db, waits } = deps;
  const { groupId, batchId, holdsEvents = false } = target;
  const tryInMs = untilNextTry();
  if (tryInMs > 0) return expireBeforeTry(deps, target, tryInMs);
  const slot = new GroupSlot(deps, target);
  const rounds = new Rounds(deps, slot);
  const sliceEndsAt = performance.now() + sliceMs;
  const turn = new Turn(deps, { ...target, slot, sliceEndsAt });
  const { more, isResting, ...end } = await runRounds(deps, target, { slot, rounds, turn, sliceEndsAt });
  const { waitMs, hasExpired } = await expireDuringWait(deps, groupId, end.waitMs);
  if (batchId !== undefined) await finishPage(deps, groupId, batchId, rounds.endedCount > 0 || rounds.hasFailedByRule || hasExpired);
  if (rounds.tookNothing)
    throw await notHandedOffUntilExpiry(db, groupId, 'The carrier took none of the messages', waitAfter(rounds.retryAfterMs, holdsEvents));
  const hasOnlyWaited = waitMs > 0 && rounds.endedCount === 0 && !hasExpired;
  // A reservation was made for a retry of the activity, and the time since then does not change that.
  if (hasOnlyWaited && batchId === undefined && (turn.reservedAt !== undefined || hasTimeFor(waitMs))) {
    storeDetails(turn.reservedAt);
    throw notHandedOff('The carrier has no capacity for now', waitMs);
  }
  const state = await countGroupWork(db, groupId);
  if (state.paused) return { ...state, more, ...(await untilPausedExpiry(db, groupId)) };
  const waitsForMore = state.queued > 0 && !more;
  const retryInMs = waitMs > 0 || !waitsForMore ? waitMs : await nextHandoffInMs(db, groupId, waits);
  if (isResting && waitsForMore && retryInMs === 0 && rounds.endedCount === 0)
    throw notHandedOff('Waiting for an account that is failing', 0);
  return { ...state, more, ...(retryInMs > 0 ? { retryInMs } : {}) };
}

interface Slice {
  slot: GroupSlot;
  rounds: Rounds;
  turn: Turn;
  /** By `performance.now()`. No round begins later. */
  sliceEndsAt: number;
}

interface End {
  more: boolean;
  /** Milliseconds until a round may begin. */
  waitMs: number;
  /** An account gets only probes, and messages that it may have taken wait. */
  isResting: boolean;
}

/** Runs rounds until the end. When it returns or throws, all calls have ended and every answer is recorded. */
async function runRounds(deps: RoundDeps, target: DispatchTarget, slice: Slice): Promise<End> {
  try {
    return await beginRounds(deps, target, slice);
  } finally {
    await slice.rounds.finish().finally(() => slice.slot.leave());
  }
}

/** Begins round after round. Some calls may still run when it returns. */
async function beginRounds(
  deps: RoundDeps,
  { groupId, batchId, signal }: DispatchTarget,
  { slot, rounds, turn, sliceEndsAt }: Slice,
): Promise<End> {
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
    if (round === 0 && !pace.paused && !route.isProbe && !(await slot.take(route.choices, pace.channel))) {
      if (batchId !== undefined) return { more: false, waitMs: await turn.msUntilNextLook(batchId), isResting };
      throw await notHandedOffUntilExpiry(db, groupId, 'The calls to the account are slow, and others need the slot', 0);
    }
    slot.hold(first?.account);
    const limit = first === undefined ? Number.POSITIVE_INFINITY : throughput.limitOf(first.account);
    const perSecond = Math.min(pace.rate ?? Number.POSITIVE_INFINITY, limit);
    const size = route.isProbe ? 1 : Math.min(roundMax, Math.max(1, Math.floor(perSecond / roundsPerSecond)));
    // Claim after the wait, so that a pause of the batch during the wait takes effect.
    const { waitsForAll, excluded: except } = rounds;
    const taken = await turn.acquire(route, { size, except, isFirst: round === 0, waitsForAll, pace, limit });
    if ('waitMs' in taken) return { more: taken.waitMs === 0, waitMs: taken.waitMs, isResting };
    const { reserved } = taken;
    const mayHaveMore = await rounds.next(route, { limit: size, reserved, isPaced: Number.isFinite(perSecond) }).finally(reserved.release);
    if (!mayHaveMore) return { more: false, waitMs: 0, isResting };
    if (signal.aborted || performance.now() > sliceEndsAt) return { more: true, waitMs: 0, isResting };
  }
}

/**
 * Fails what has expired if no round may begin before the end of a wait.
 * @returns the wait in milliseconds, up to the next expiry; and whether something has expired, whose events are due
 */
async function expireDuringWait(deps: RoundDeps, groupId: string, waitMs: number): Promise<{ waitMs: number; hasExpired: boolean }> {
  if (waitMs === 0) return { waitMs, hasExpired: false };
  const { hasExpired, nextMs } = await expireWaiting(deps.db, groupId, await sendingRules(deps));
  return { waitMs: Math.min(waitMs, nextMs ?? waitMs), hasExpired };
}

/** When the next message of a paused page expires. */
async function untilPausedExpiry(db: Database, groupId: string): Promise<Pick<Dispatched, 'retryInMs'>> {
  const expiryInMs = await nextExpiryInMs(db, groupId);
  return expiryInMs === null ? {} : { retryInMs: Math.max(1, expiryInMs) };
}

/** Fails what has expired before accounts may be called again. */
async function expireBeforeTry(deps: RoundDeps, { groupId, batchId }: DispatchTarget, tryInMs: number): Promise<Dispatched> {
  const { db } = deps;
  const { hasExpired } = await expireWaiting(db, groupId, await sendingRules(deps));
  if (batchId !== undefined) await finishPage(deps, groupId, batchId, hasExpired);
  const state = await countGroupWork(db, groupId);
  if (state.queued > 0) throw await notHandedOffUntilExpiry(db, groupId, 'Waiting for the next try', tryInMs);
  return { ...state, more: false };
}

/**
 * Cancels messages that returned to the queue after their batch was cancelled. Those with an unknown outcome wait for their report first.
 * @param hasEndedAny this dispatch has ended the wait of messages. A page is measured once, by the dispatch that ended the last one.
 */
async function finishPage({ db, waits }: RoundDeps, groupId: string, batchId: string, hasEndedAny: boolean): Promise<void> {
  const { cancelled } = await batchPace(db, batchId);
  if (cancelled) {
    await cancelPage(db, groupId);
    await giveUpOnHandoffs(db, groupId, waits);
  }
  const seconds = await completePage(db, batchId, groupId);
  if (seconds !== null && hasEndedAny && !cancelled) workMetrics.pageSeconds.observe(seconds);
}
