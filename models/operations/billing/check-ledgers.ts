/** Finds balances that differ from the sum of their ledger. */
import { type Database, select } from '../../db/database.js';
import { column, recordset } from '../../tables/columns.js';

/** A workspace whose balance differs from the sum of its entries. */
export interface Drift {
  workspace_id: string;
  balance: number;
  /** The sum of the ledger, in thousandths of a credit like the balance. */
  ledger: number;
}

/**
 * Compares balance and ledger of every workspace in which either changed since its last comparison: the balance that was right then, plus
 * the entries since. If they agree, the comparison is stored, and the next one starts there. If they differ, nothing is stored, so every
 * call reports the difference until it is corrected or acknowledged. A call reads each workspace row and the entries since then. A later
 * change of an entry that was compared is left to the audit.
 *
 * It is one statement, so that both sides are of one moment.
 */
export async function checkLedgers(db: Database): Promise<Drift[]> {
  const moved = await select<Drift & { number: number }>(db, compare);
  const right = moved.filter(({ balance, ledger }) => balance === ledger);
  if (right.length > 0) await select(db, note, [JSON.stringify(right)]);
  return moved.filter(({ balance, ledger }) => balance !== ledger).map(({ number: _, ...drift }) => drift);
}

// Only the numbers give the order. A workspace that was never compared starts with its newest entry from before today. The audit checks the
// entries before it.
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

const marked = { workspace_id: column.uuid(), number: column.bigint(), balance: column.bigint() };

// A comparison changes nothing if a later one was stored first.
const note = `
  INSERT INTO ledger_marks (workspace_id, number, balance)
  SELECT r.workspace_id, r.number, r.balance FROM ${recordset('$1', 'r', marked)}
  ORDER BY r.workspace_id
  ON CONFLICT (workspace_id) DO UPDATE SET number = EXCLUDED.number, balance = EXCLUDED.balance WHERE ledger_marks.number < EXCLUDED.number`;
