/** When the answer of a carrier may be lost, so that the service cannot know it. */
import type { Evidence } from './evidence.js';
import type { Handoff } from './handoffs.js';

/** How soon an answer is recorded after it came, without a disturbance. */
const recordedMs = 2_000;
/** How long recording is retried, whatever the state of the database. After that, the answer may be lost with its process. */
const triedMs = 30_000;
const triedAtMostMs = 120_000;

/**
 * Whether the outcome of a call may lawfully be unknown to the service:
 * - the carrier gave no answer, or the caller had disconnected before
 * - the answer was a server error, which does not say whether the carrier took the message
 * - the worker was killed or stopped during the call, or before the answer could be recorded
 * - the way between worker and carrier was disturbed during the call
 * - the database was unavailable for longer than recording is certainly retried
 *
 * `claimedAt` is when the first attempt for the message was written. A deploy (SIGTERM) is no excuse, because it waits for calls in
 * progress and for their recording. Neither is a short failure of the database.
 */
export function answerMayBeLost(
  { faults }: Evidence,
  { receivedAt, answeredAt, lostAt, unclear }: Handoff,
  claimedAt = receivedAt,
): boolean {
  if (answeredAt === null || lostAt !== null || unclear) return true;
  const databaseMs = faults.durationOf(['postgres', 'disk'], answeredAt, answeredAt + triedAtMostMs);
  const recordedBy = answeredAt + recordedMs + Math.min(databaseMs, triedMs);
  return (
    faults.hit(['worker'], receivedAt, recordedBy, ['kill']) ||
    // A call that a stopped process had in progress may still be sent when the process runs again.
    faults.hit(['worker'], Math.min(claimedAt, receivedAt), recordedBy, ['stop']) ||
    faults.hit(['worker', 'carrier'], receivedAt, answeredAt + recordedMs) ||
    databaseMs >= triedMs
  );
}
