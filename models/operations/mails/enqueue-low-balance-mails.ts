import { type Database, select } from '../../db/database.js';

/**
 * Puts a mail into the outbox of every workspace whose balance is below the limit after a debit or a payment that was taken back: at most one
 * mail a day, and none while nothing is spent or after the account was closed.
 * @param limit thousandths of a credit
 * @returns the number of mails
 */
export async function enqueueLowBalanceMails(db: Database, limit: number, changedWithinSeconds: number): Promise<number> {
  return (await select(db, enqueue, [limit, changedWithinSeconds])).length;
}

const enqueue = `
  INSERT INTO mails (id, workspace_id, kind, detail)
  SELECT gen_random_uuid(), w.id, 'low_balance', json_build_object('balance', w.balance)
  FROM workspaces w
  WHERE w.balance < $1 AND w.closed_at IS NULL AND w.updated_at > now() - $2 * interval '1 second'
    AND (
      SELECT e.created_at > now() - $2 * interval '1 second'
      FROM credit_entries e WHERE e.workspace_id = w.id AND e.amount < 0 ORDER BY e.number DESC NULLS LAST, e.id DESC LIMIT 1)
    AND NOT EXISTS (SELECT 1 FROM mails m WHERE m.workspace_id = w.id AND m.kind = 'low_balance' AND m.created_at > now() - interval '1 day')
  RETURNING id`;
