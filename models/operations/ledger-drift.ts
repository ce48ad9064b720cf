/** What must never be: a balance that is not the sum of its ledger. */
import { type Database, select } from '../database.js';

/** A workspace whose balance is not what its entries lead to. */
export interface Drift {
  workspace_id: string;
  balance: number;
  /** Thousandths of a credit, as the balance. */
  ledger: number;
}

/**
 * Compares balance and ledger of the workspaces that changed lately: what each had before, by the newest entry that is older than that,
 * and what its entries since then add up to. The cost is that of the entries since then, however long the ledger is; what somebody
 * changes in an older entry is not seen. One statement: both sides are of one moment.
 */
export function ledgerDrift(db: Database, changedWithinSeconds: number): Promise<Drift[]> {
  return select<Drift>(db, drift, [changedWithinSeconds]);
}

// Only numbers tell what came before what. The time, which is that of the transaction's begin, merely chooses where to begin: any entry will do.
const drift = `
  SELECT w.id AS workspace_id, w.balance, COALESCE(before.balance_after, w.opening_balance) + since.amount AS ledger
  FROM workspaces w
  LEFT JOIN LATERAL (
    SELECT e.number, e.balance_after FROM credit_entries e
    WHERE e.workspace_id = w.id AND e.number IS NOT NULL AND e.created_at < now() - $1 * interval '1 second'
    ORDER BY e.number DESC NULLS LAST LIMIT 1
  ) before ON true
  CROSS JOIN LATERAL (
    SELECT COALESCE(sum(e.amount), 0)::bigint AS amount FROM credit_entries e
    WHERE e.workspace_id = w.id AND e.number > COALESCE(before.number, 0)
  ) since
  WHERE w.updated_at > now() - $1 * interval '1 second' AND w.balance <> COALESCE(before.balance_after, w.opening_balance) + since.amount`;
