/** When the answer of a carrier may be lost, so that nobody on our side can know what it was. */
import type { Evidence } from './evidence.js';
import type { Handoff } from './handoffs.js';

/** An answer is recorded so soon after it came, where nothing hinders it. */
const recordedMs = 2_000;
/** Recording is tried again for so long whatever the database does; beyond it the answer is gone with its process. */
const triedMs = 30_000;
const triedAtMostMs = 120_000;

/**
 * Whether the outcome of a call may be unknown to us, lawfully:
 * - the carrier gave no answer, or the caller was gone before it came;
 * - the answer was a server error, which does not say whether the carrier took the message;
 * - the worker was killed or stopped during the call, or before the answer could be recorded;
 * - the way between worker and carrier was disturbed during the call;
 * - the database was away for longer than recording is tried for certain.
 *
 * `claimedAt` is when the first attempt for the message was written. A deploy (SIGTERM) is no excuse: it waits for calls in flight and for their recording. Nor is a short failure of the database.
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
    // What a stopped process had under way may still go out when it runs again.
    faults.hit(['worker'], Math.min(claimedAt, receivedAt), recordedBy, ['stop']) ||
    faults.hit(['worker', 'carrier'], receivedAt, answeredAt + recordedMs) ||
    databaseMs >= triedMs
  );
}
