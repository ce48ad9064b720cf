import { type Database, select } from '../../db/database.js';
import type { IncomingReport } from '../../rules/callbacks/callback.js';

/**
 * Leaves out the reports that tell only that a carrier has taken a message, unless the hand-off of that message is still unknown. So a carrier
 * that reports each of its steps costs one read for many callbacks, and no row, signal or transaction.
 */
export async function dropKnownHandoffs(db: Database, reports: IncomingReport[]): Promise<IncomingReport[]> {
  const ids = reports.flatMap(({ isOnlyTaken = false, message_id }) => (isOnlyTaken && message_id !== null ? [message_id] : []));
  const open = ids.length === 0 ? [] : await select<{ id: string; provider: string }>(db, unanswered, [ids]);
  const isOpen = ({ message_id, provider }: IncomingReport) => open.some((call) => call.id === message_id && call.provider === provider);
  return reports.filter((report) => report.isOnlyTaken !== true || isOpen(report));
}

// The hand-off of a queued message may be in progress, or its response was lost.
const unanswered = `
  SELECT DISTINCT m.id, a.provider FROM messages m JOIN send_attempts a ON a.message_id = m.id
  WHERE m.id = ANY($1::uuid[]) AND m.status = 'queued'`;
