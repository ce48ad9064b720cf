/** The only writers of balances. Every movement is one ledger entry, posted once by its (kind, reference). */
import { v7 as uuidv7 } from 'uuid';
import type { EntryKind } from '../credit-entry.js';
import { type Database, select, type Transaction } from '../database.js';

/** One movement of credits: `amount` in thousandths, positive; `reference` names its cause. */
export interface Posting {
  reference: string;
  amount: number;
  description: string;
}

/**
 * Debits as many of the postings as the balance allows: all of them if it can, otherwise each in turn that fits.
 * @returns the references that were debited
 */
export async function debit(db: Database, transaction: Transaction, workspaceId: string, postings: Posting[]): Promise<string[]> {
  const all = await post(db, transaction, workspaceId, 'debit', postings);
  if (all.length > 0 || postings.length < 2) return all;
  const [workspace] = await select<{ balance: number }>(db, 'SELECT balance FROM workspaces WHERE id = $1 FOR UPDATE', [workspaceId], transaction);
  let left = workspace?.balance ?? 0;
  const affordable = postings.filter(({ amount }) => {
    const fits = amount <= left;
    if (fits) left -= amount;
    return fits;
  });
  return affordable.length === 0 ? [] : post(db, transaction, workspaceId, 'debit', affordable);
}

/** Adds credits; a posting whose cause was already posted is an error of the caller and fails the transaction. */
export async function credit(
  db: Database,
  transaction: Transaction,
  workspaceId: string,
  kind: Exclude<EntryKind, 'debit'>,
  postings: Posting[],
): Promise<void> {
  const posted = await post(db, transaction, workspaceId, kind, postings);
  if (posted.length !== postings.length) throw new Error(`workspace ${workspaceId} is gone`);
}

/** Balance and entries in one statement; no row when the balance is too low for the sum. */
async function post(db: Database, transaction: Transaction, workspaceId: string, kind: EntryKind, postings: Posting[]): Promise<string[]> {
  const sign = kind === 'debit' ? -1 : 1;
  let running = 0;
  const entries = postings.map(({ reference, amount, description }) => {
    running += sign * amount;
    return { id: uuidv7(), amount: sign * amount, running, reference, description };
  });
  const rows = await select<{ reference: string }>(db, postEntries, [workspaceId, running, kind, JSON.stringify(entries)], transaction);
  return rows.map(({ reference }) => reference);
}

// The condition on the balance is what prevents overspending: PostgreSQL checks it again after waiting for the row.
const postEntries = `
  WITH moved AS (
    UPDATE workspaces SET balance = balance + $2, updated_at = now()
    WHERE id = $1 AND balance + $2 >= 0
    RETURNING balance
  )
  INSERT INTO credit_entries (id, workspace_id, kind, amount, balance_after, reference, description)
  SELECT e.id, $1, $3, e.amount, moved.balance - $2 + e.running, e.reference, e.description
  FROM moved, json_to_recordset($4::json) AS e (id uuid, amount bigint, running bigint, reference text, description text)
  RETURNING reference`;
