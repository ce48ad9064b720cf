/**
 * The only writers of balances, and of how many messages a workspace has: what pays for a message shows it. Every movement is one
 * ledger entry, posted once by its (kind, reference) and numbered under the lock of the workspace's row: without a gap, in the order of
 * the balances.
 */
import { v7 as uuidv7 } from 'uuid';
import type { EntryKind } from '../credit-entry.js';
import { type Database, select, type Transaction } from '../database.js';

/** One movement of credits: `amount` in thousandths, positive; `reference` names its cause. */
export interface Posting {
  reference: string;
  amount: number;
  description: string;
}

/** A posting that pays for messages. */
export interface Payment extends Posting {
  /** How many: the caller moves them from `accepting` to `queued` in the same transaction. */
  messages: number;
}

/**
 * Debits as many of the postings as the balance allows: all of them if it can, otherwise each in turn that fits.
 * The messages of what was debited are counted as the workspace's, in the same row.
 * @returns the references that were debited
 */
export async function debit(db: Database, transaction: Transaction, workspaceId: string, postings: Payment[]): Promise<string[]> {
  const all = await charge(db, transaction, workspaceId, postings);
  if (all.length > 0 || postings.length < 2) return all;
  let { balance: left } = await lock(db, transaction, workspaceId);
  const affordable = postings.filter(({ amount }) => {
    const fits = amount <= left;
    if (fits) left -= amount;
    return fits;
  });
  return affordable.length === 0 ? [] : charge(db, transaction, workspaceId, affordable);
}

async function charge(db: Database, transaction: Transaction, workspaceId: string, postings: Payment[]): Promise<string[]> {
  const messages = postings.reduce((sum, posting) => sum + posting.messages, 0);
  return (await post(db, transaction, workspaceId, 'debit', postings, messages)).map(({ reference }) => reference);
}

/** Counts a message that costs nothing, and so has no debit, as the workspace's. */
export async function countFree(db: Database, transaction: Transaction, workspaceId: string): Promise<void> {
  await select(db, 'UPDATE workspaces SET message_count = message_count + 1 WHERE id = $1', [workspaceId], transaction);
}

/**
 * Adds credits; a posting whose cause was already posted is an error of the caller and fails the transaction. A debt of the
 * workspace is paid from them at once.
 */
export async function credit(
  db: Database,
  transaction: Transaction,
  workspaceId: string,
  kind: Exclude<EntryKind, 'debit'>,
  postings: Posting[],
): Promise<void> {
  const posted = await post(db, transaction, workspaceId, kind, postings);
  if (posted.length !== postings.length) throw new Error(`workspace ${workspaceId} is gone`);
  if (posted.some(({ debt }) => debt > 0)) await payDebt(db, transaction, workspaceId);
}

/**
 * Takes credits back. A balance is never below 0: what is not there any more becomes debt, which the next credits pay first.
 */
export async function takeBack(
  db: Database,
  transaction: Transaction,
  workspaceId: string,
  { amount, ...posting }: Posting,
): Promise<void> {
  const { balance } = await lock(db, transaction, workspaceId);
  const taken = Math.min(balance, amount);
  if (taken > 0) await post(db, transaction, workspaceId, 'adjustment', [{ ...posting, amount: -taken }]);
  if (taken < amount) await select(db, addDebt, [workspaceId, amount - taken], transaction);
}

async function payDebt(db: Database, transaction: Transaction, workspaceId: string): Promise<void> {
  const { balance, debt } = await lock(db, transaction, workspaceId);
  const paid = Math.min(balance, debt);
  if (paid === 0) return;
  const posting = { reference: `debt:${uuidv7()}`, amount: -paid, description: 'Debt of a payment that was taken back' };
  await post(db, transaction, workspaceId, 'adjustment', [posting]);
  await select(db, addDebt, [workspaceId, -paid], transaction);
}

const addDebt = 'UPDATE workspaces SET debt = debt + $2 WHERE id = $1';

async function lock(db: Database, transaction: Transaction, workspaceId: string): Promise<{ balance: number; debt: number }> {
  // Not FOR UPDATE: that would wait for every insert of messages, whose foreign key holds the row until its commit.
  const sql = 'SELECT balance, debt FROM workspaces WHERE id = $1 FOR NO KEY UPDATE';
  const [workspace] = await select<{ balance: number; debt: number }>(db, sql, [workspaceId], transaction);
  return workspace ?? { balance: 0, debt: 0 };
}

interface Posted {
  reference: string;
  /** What the workspace owes. */
  debt: number;
}

/** Balance, number of messages and entries in one statement; no row when the balance is too low for the sum. */
function post(
  db: Database,
  transaction: Transaction,
  workspaceId: string,
  kind: EntryKind,
  postings: Posting[],
  messages = 0,
): Promise<Posted[]> {
  const sign = kind === 'debit' ? -1 : 1;
  let running = 0;
  const entries = postings.map(({ reference, amount, description }, index) => {
    running += sign * amount;
    return { id: uuidv7(), place: index + 1, amount: sign * amount, running, reference, description };
  });
  return select<Posted>(db, postEntries, [workspaceId, running, kind, JSON.stringify(entries), messages, entries.length], transaction);
}

// The condition on the balance is what prevents overspending: PostgreSQL checks it again after waiting for the row.
const postEntries = `
  WITH moved AS (
    UPDATE workspaces SET balance = balance + $2, entry_count = entry_count + $6, message_count = message_count + $5, updated_at = now()
    WHERE id = $1 AND balance + $2 >= 0
    RETURNING balance, entry_count, debt
  )
  INSERT INTO credit_entries (id, workspace_id, number, kind, amount, balance_after, reference, description)
  SELECT e.id, $1, moved.entry_count - $6 + e.place, $3, e.amount, moved.balance - $2 + e.running, e.reference, e.description
  FROM moved, json_to_recordset($4::json) AS e (id uuid, place bigint, amount bigint, running bigint, reference text, description text)
  RETURNING reference, (SELECT debt FROM moved) AS debt`;

/**
 * SQL for a larger statement: the CTEs `moved` and `posted`, which debit the one message of `source` (id, workspace_id, amount,
 * description) with an entry of this id, and count it; they are empty when the balance is short.
 */
export const debitOf = (source: string, entryId: string) => `moved AS (
    UPDATE workspaces w SET balance = w.balance - s.amount, entry_count = w.entry_count + 1, message_count = w.message_count + 1, updated_at = now()
    FROM ${source} s WHERE w.id = s.workspace_id AND w.balance >= s.amount
    RETURNING w.balance, w.entry_count
  ), posted AS (
    INSERT INTO credit_entries (id, workspace_id, number, kind, amount, balance_after, reference, description)
    SELECT ${entryId}, s.workspace_id, moved.entry_count, 'debit', -s.amount, moved.balance, s.id, s.description FROM moved, ${source} s
    RETURNING reference
  )`;
