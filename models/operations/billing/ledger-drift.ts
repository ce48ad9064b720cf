/** What must never be: a balance that is not the sum of its ledger. */
import { type Database, select } from '../../db/database.js';

/** A workspace whose balance is not what its entries lead to. */
export interface Drift {
  workspace_id: string;
  balance: number;
  /** Thousandths of a credit, as the balance. */
  ledger: number;
}

/**
 * Compares balance and ledger of every workspace in which either moved since the last comparison, whenever that was: what was right then, and
 * what its entries since then add up to. Where they agree the comparison is noted, and the next one begins there; where they differ nothing
 * is noted, and so the difference is told by every call until it is mended or acknowledged. The cost is a look at each workspace and the
 * entries since; what somebody changes in an entry that was compared is left to the audit.
 *
 * One statement: both sides are of one moment.
 */
export async function checkLedgers(db: Database): Promise<Drift[]> {
  const moved = await select<Drift & { number: number }>(db, compare);
  const right = moved.filter(({ balance, ledger }) => balance === ledger);
  if (right.length > 0) await select(db, note, [JSON.stringify(right)]);
  return moved.filter(({ balance, ledger }) => balance !== ledger).map(({ number: _, ...drift }) => drift);
}

// Only numbers tell what came before what. A workspace that was never compared begins with the newest entry that is not of today: those
// before it are the audit's.
const compare = `
  SELECT w.id AS workspace_id, w.balance, w.entry_count AS number, COALESCE(mark.balance, before.balance_after, w.opening_balance) + since.amount AS ledger
  FROM workspaces w
  LEFT JOIN ledger_marks mark ON mark.workspace_id = w.id
  LEFT JOIN LATERAL (
    SELECT e.number, e.balance_after FROM credit_entries e
    WHERE mark.workspace_id IS NULL AND e.workspace_id = w.id AND e.number IS NOT NULL AND e.created_at < now() - interval '1 day'
    ORDER BY e.number DESC NULLS LAST LIMIT 1
  ) before ON true
  CROSS JOIN LATERAL (
    SELECT COALESCE(sum(e.amount), 0)::bigint AS amount FROM credit_entries e
    WHERE e.workspace_id = w.id AND e.number > COALESCE(mark.number, before.number, 0)
  ) since
  WHERE mark.workspace_id IS NULL OR mark.number <> w.entry_count OR mark.balance <> w.balance`;

// A comparison that is overtaken by a later one changes nothing.
const note = `
  INSERT INTO ledger_marks (workspace_id, number, balance)
  SELECT r.workspace_id, r.number, r.balance FROM json_to_recordset($1::json) AS r (workspace_id uuid, number bigint, balance bigint)
  ORDER BY r.workspace_id
  ON CONFLICT (workspace_id) DO UPDATE SET number = EXCLUDED.number, balance = EXCLUDED.balance WHERE ledger_marks.number < EXCLUDED.number`;

/** Takes the present balance of a workspace for right, after its difference was looked into. @returns false when there is no such workspace */
export async function acknowledgeDrift(db: Database, workspaceId: string): Promise<boolean> {
  return (await select(db, acknowledge, [workspaceId])).length > 0;
}

const acknowledge = `
  INSERT INTO ledger_marks (workspace_id, number, balance) SELECT id, entry_count, balance FROM workspaces WHERE id = $1
  ON CONFLICT (workspace_id) DO UPDATE SET number = EXCLUDED.number, balance = EXCLUDED.balance RETURNING workspace_id`;
