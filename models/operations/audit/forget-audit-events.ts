import { type Database, select } from '../../db/database.js';

const pageSize = 1_000;

/**
 * Retention: deletes audit events by their age, oldest first, until none is left or the time is over. Each page is a short transaction.
 * @param days 0: never
 * @param untilMs milliseconds since 1970
 * @returns how many were deleted
 */
export async function forgetAuditEvents(db: Database, days: number, untilMs: number): Promise<number> {
  let deleted = 0;
  while (days > 0 && Date.now() < untilMs) {
    const page = await select(db, remove, [days]);
    deleted += page.length;
    if (page.length < pageSize) break;
  }
  return deleted;
}

/** The size of a page is written out: see forget-webhook-data.ts. */
const remove = `
  DELETE FROM audit_events WHERE id IN (
    SELECT id FROM audit_events WHERE at < now() - $1::integer * interval '1 day' ORDER BY at LIMIT ${pageSize} FOR UPDATE SKIP LOCKED)
  RETURNING id`;
