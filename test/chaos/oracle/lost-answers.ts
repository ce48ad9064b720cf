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
 * - the worker was killed or stopped during the call, or before the answer could be recorded;
 * - the way between worker and carrier was disturbed during the call;
 * - the database was away for longer than recording is tried for certain.
 *
 * A deploy (SIGTERM) is no excuse: it waits for calls in flight and for their recording. Nor is a short failure of the database.
 */
export function answerMayBeLost({ faults }: Evidence, { receivedAt, answeredAt, lostAt }: Handoff): boolean {
  if (answeredAt === null || lostAt !== null) return true;
  const databaseMs = faults.durationOf(['postgres', 'disk'], answeredAt, answeredAt + triedAtMostMs);
  const recordedBy = answeredAt + recordedMs + Math.min(databaseMs, triedMs);
  return (
    faults.hit(['worker'], receivedAt, recordedBy, ['kill', 'stop']) ||
    faults.hit(['worker', 'carrier'], receivedAt, answeredAt + recordedMs) ||
    databaseMs >= triedMs
  );
}
