/** When a group that no account took is tried again, and what expires before that. */
import { ApplicationFailure, activityInfo } from '@temporalio/activity';
import type { Database } from '../../models/db/database.js';
import { nextExpiryInMs } from '../../models/operations/handoff/expire-waiting.js';
import { providerDeadlineMs } from '../../models/rules/routing/provider-deadline.js';
import { storeDetails } from '../support/heartbeat.js';

/** Heartbeat details of an attempt that ended: no account is to be called earlier. The attempt before that time only ends what has expired. */
interface NextTry {
  /** By `Date.now()`. */
  notBefore: number;
  /** How long the wait was. If the clock of another worker says that more is left, it is wrong. */
  waitMs: number;
}

/** @returns milliseconds until accounts may be called; 0 if now */
export function untilNextTry(): number {
  const { heartbeatDetails } = activityInfo();
  if (typeof heartbeatDetails !== 'object' || heartbeatDetails === null) return 0; // none, or the reservation of a turn
  const { notBefore = 0, waitMs = 0 } = heartbeatDetails as Partial<NextTry>;
  const leftMs = notBefore - Date.now();
  return leftMs > 0 && leftMs <= waitMs ? leftMs : 0;
}

/** The type of the failure of `notHandedOff`. */
export const notHandedOffType = 'NotHandedOff';

/**
 * The failure of an attempt, for which Temporal repeats the activity after a time.
 * @param waitMs until the next try; 0: as the retry policy says
 */
export function notHandedOff(message: string, waitMs: number): ApplicationFailure {
  return ApplicationFailure.create({ type: notHandedOffType, message, ...(waitMs > 0 ? { nextRetryDelay: waitMs } : {}) });
}

/** The same, but the activity is repeated once more when a message of the group expires before the next try. */
export async function notHandedOffUntilExpiry(db: Database, groupId: string, message: string, waitMs: number): Promise<ApplicationFailure> {
  const tryInMs = waitMs > 0 ? waitMs : policyWaitMs();
  const expiryInMs = await nextExpiryInMs(db, groupId);
  if (expiryInMs === null || expiryInMs >= tryInMs) return notHandedOff(message, waitMs);
  storeDetails({ notBefore: Date.now() + tryInMs, waitMs: tryInMs } satisfies NextTry);
  return notHandedOff(message, Math.max(1, Math.ceil(expiryInMs)));
}

/**
 * Whether the wait may be spent as a retry of the activity, which adds no history event. Otherwise the workflow waits, and the next dispatch has
 * the whole time for the hand-off again, because waiting for a limit must not use it up.
 */
export function hasTimeFor(waitMs: number): boolean {
  return waitMs < longestRetryWaitMs();
}

/** The longest wait that may be spent as a retry of the activity: half of the time for the hand-off must remain. Negative if less is left. */
export const longestRetryWaitMs = (): number => msLeft() - activityInfo().scheduleToCloseTimeoutMs / 2;

/**
 * The longest wait for an unavailable provider when the time for the hand-off is half over, when events wait for its next try, or when another
 * account may work again before.
 */
export const shortWaitMsMax = 60_000;

/**
 * How long the next try waits after an account said when it works again; 0 if the wait of the retry policy is long enough.
 * @param holdsEvents events of the group wait for the next try
 */
export function waitAfter(retryAfterMs: number, holdsEvents: boolean): number {
  if (retryAfterMs === 0) return 0;
  const policyMs = policyWaitMs();
  const askedMs = hasTimeFor(retryAfterMs) && !holdsEvents ? retryAfterMs : Math.min(retryAfterMs, shortWaitMsMax);
  const waitMs = Math.max(askedMs, policyMs);
  const halfMs = Math.floor(msLeft() / 2);
  if (halfMs < waitMs && halfMs >= providerDeadlineMs) return halfMs; // Temporal makes no try that would begin after the end
  return waitMs > policyMs ? waitMs : 0;
}

/** The rest of the time for the hand-off. */
export function msLeft(): number {
  const { scheduledTimestampMs, scheduleToCloseTimeoutMs } = activityInfo();
  return scheduledTimestampMs + scheduleToCloseTimeoutMs - Date.now();
}

/** How long Temporal waits after this attempt by itself. */
function policyWaitMs(): number {
  const { attempt, retryPolicy: { initialInterval, backoffCoefficient = 1, maximumInterval } = {} } = activityInfo();
  return Math.min(Number(maximumInterval ?? 0), Number(initialInterval ?? 0) * backoffCoefficient ** (attempt - 1));
}
