/**
 * The only writers of balances and of the number of messages of a workspace (the payment of a message makes it visible). Every movement is
 * one ledger entry. It is posted once for its (kind, reference). Entries are numbered under the lock of the workspace's row: without gaps
 * and in the order of the balances. The same row counts debits and refunds against the spending limit of the day.
 */
import { makeId } from '../../rules/values/make-id.js';
import { column, only, recordset } from '../../tables/columns.js';
import { creditEntryColumns, type EntryKind } from '../../tables/credit-entry.js';
import { type Database, select, type Transaction } from '../../db/database.js';
import { affordable, countGivenBack, countSpent, type Funds, funds, isWithinLimit, startOfSpendDay } from './standing.js';

/** One movement of credits: `amount` in thousandths, positive; `reference` identifies its cause. */
export interface Posting {
  reference: string;
  amount: number;
  description: string;
}

/** A posting that adds credits, for another reason than a refund. */
export interface Credit extends Posting {
  kind: Exclude<EntryKind, 'debit' | 'refund'>;
}

/** A posting that refunds a debit. */
export interface Refund extends Posting {
  /** `reference` of the debit. If the debit is of the same day, it no longer counts as spent. */
  debit: string;
}

/** A posting that pays for messages. */
export interface Payment extends Posting {
  /** The number of messages. The caller moves them from `accepting` to `queued` in the same transaction. */
  messages: number;
}

/** What became of postings. */
export interface Debited {
  /** The references that were debited. */
  paid: string[];
  /** By reference of each other posting: the funds that were too low for it. */
  refused: Readonly<Record<string, Funds>>;
}

/**
 * Debits as many postings as the balance and the limit of the day allow: all of them if possible, otherwise one by one in their order,
 * skipping those that do not fit. The same row counts the messages of the debited postings.
 */
export async function debit(db: Database, transaction: Transaction, workspaceId: string, postings: Payment[]): Promise<Debited> {
  const all = await charge(db, transaction, workspaceId, postings);
  if (all.length > 0) return { paid: all, refused: {} };
  // Credits may have arrived since the first attempt, which waited for nobody. From here on, the lock keeps the funds as they are.
  const { debt: _, ...left } = await lockFunds(db, transaction, workspaceId);
  const refused: Record<string, Funds> = {};
  const fitting = postings.filter(({ reference, amount }) => {
    const fits = amount <= affordable(left);
    if (!fits) refused[reference] = { ...left };
    else {
      left.balance -= amount;
      if (left.spend_left !== null) left.spend_left -= amount;
    }
    return fits;
  });
  return { paid: fitting.length === 0 ? [] : await charge(db, transaction, workspaceId, fitting), refused };
}

async function charge(db: Database, transaction: Transaction, workspaceId: string, postings: Payment[]): Promise<string[]> {
  const messages = postings.reduce((sum, posting) => sum + posting.messages, 0);
  return (await postEntries(db, transaction, workspaceId, { kind: 'debit', postings, messages })).map(({ reference }) => reference);
}

/** Counts a message that costs nothing and therefore has no debit. */
export async function countFree(db: Database, transaction: Transaction, workspaceId: string): Promise<void> {
  await select(db, 'UPDATE workspaces SET message_count = message_count + 1 WHERE id = $1', [workspaceId], transaction);
}

/** Adds credits. They pay the debt of the workspace first. A cause that was posted before is a bug of the caller and fails the transaction. */
export async function credit(db: Database, transaction: Transaction, workspaceId: string, { kind, ...posting }: Credit): Promise<void> {
  await add(db, transaction, workspaceId, { kind, postings: [posting] });
}

/** Refunds debits, like `credit`. */
export async function refund(db: Database, transaction: Transaction, workspaceId: string, postings: Refund[]): Promise<void> {
  await add(db, transaction, workspaceId, { kind: 'refund', postings });
}

async function add(db: Database, transaction: Transaction, workspaceId: string, movement: Movement): Promise<void> {
  const posted = await postEntries(db, transaction, workspaceId, movement);
  if (posted.length !== movement.postings.length) throw new Error(`workspace ${workspaceId} is gone`);
  if (posted.some(({ debt }) => debt > 0)) await payDebt(db, transaction, workspaceId);
}

/** Takes credits back. A balance is never below 0: the missing amount becomes debt, which the next credits pay first. */
export async function takeBack(db: Database, transaction: Transaction, workspaceId: string, posting: Posting): Promise<void> {
  const { balance } = await lockFunds(db, transaction, workspaceId);
  const taken = Math.min(balance, posting.amount);
  if (taken > 0) await postEntries(db, transaction, workspaceId, { kind: 'adjustment', postings: [{ ...posting, amount: -taken }] });
  if (taken < posting.amount) await select(db, addDebt, [workspaceId, posting.amount - taken], transaction);
}

async function payDebt(db: Database, transaction: Transaction, workspaceId: string): Promise<void> {
  const { balance, debt } = await lockFunds(db, transaction, workspaceId);
  const paid = Math.min(balance, debt);
  if (paid === 0) return;
  const posting = { reference: `debt:${makeId()}`, amount: -paid, description: 'Debt for credits that were taken back' };
  await postEntries(db, transaction, workspaceId, { kind: 'adjustment', postings: [posting] });
  await select(db, addDebt, [workspaceId, -paid], transaction);
}

export const addDebt = 'UPDATE workspaces SET debt = debt + $2 WHERE id = $1';

/** Locks the row of a workspace until the end of the transaction, and reads its funds. */
export async function lockFunds(db: Database, transaction: Transaction, workspaceId: string): Promise<Funds & { debt: number }> {
  // Not FOR UPDATE, which would wait for every insert of messages: their foreign key holds the row until their commit.
  const sql = `SELECT ${funds}, w.debt FROM workspaces w WHERE w.id = $1 FOR NO KEY UPDATE`;
  const [workspace] = await select<Funds & { debt: number }>(db, sql, [workspaceId], transaction);
  return workspace ?? { balance: 0, spend_left: null, debt: 0 };
}

interface Movement {
  kind: EntryKind;
  postings: readonly (Posting & { debit?: string })[];
  /** How many messages they pay for. */
  messages?: number;
}

interface Posted {
  reference: string;
  /** The debt of the workspace. */
  debt: number;
}

/** Updates balance, number of messages and entries in one statement. Returns no row if the balance or the limit of the day is below the sum. */
export function postEntries(
  db: Database,
  transaction: Transaction,
  workspaceId: string,
  { kind, postings, messages = 0 }: Movement,
): Promise<Posted[]> {
  const sign = kind === 'debit' ? -1 : 1;
  let running = 0;
  const entries = postings.map(({ amount, ...posting }, index) => {
    running += sign * amount;
    return { id: makeId(), place: index + 1, amount: sign * amount, running, ...posting };
  });
  return select<Posted>(db, statements[kind], [workspaceId, running, kind, JSON.stringify(entries), messages, entries.length], transaction);
}

const givenEntries = {
  ...only(creditEntryColumns, 'id', 'amount', 'reference', 'description'),
  place: column.bigint(),
  running: column.bigint(),
};
const givenRefunds = { ...only(creditEntryColumns, 'amount'), debit: column.text() };

// The conditions on balance and limit prevent overspending: PostgreSQL checks them again after it has waited for the row.
const postingWith = ({ counting = '', also = '' }) => `
  WITH moved AS (
    UPDATE workspaces w SET balance = w.balance + $2, entry_count = w.entry_count + $6, message_count = w.message_count + $5, updated_at = now()${counting}
    WHERE w.id = $1 AND w.balance + $2 >= 0${also}
    RETURNING w.balance, w.entry_count, w.debt
  )
  INSERT INTO credit_entries (id, workspace_id, number, kind, amount, balance_after, reference, description)
  SELECT e.id, $1, moved.entry_count - $6 + e.place, $3, e.amount, moved.balance - $2 + e.running, e.reference, e.description
  FROM moved, ${recordset('$4', 'e', givenEntries)}
  RETURNING reference, (SELECT debt FROM moved) AS debt`;

const postOthers = postingWith({});
const postDebits = postingWith({ counting: `, ${countSpent('-$2::bigint')}`, also: ` AND ${isWithinLimit('-$2::bigint')}` });
// The parameters are the same as for debits. What was debited on an earlier day counts for that day. The subquery names the row, so PostgreSQL
// evaluates it again after it has waited for the row: midnight may have passed meanwhile.
const postRefunds = postingWith({
  counting: `, ${countGivenBack(`(
    SELECT COALESCE(sum(r.amount), 0)::bigint FROM ${recordset('$4', 'r', givenRefunds)}
    WHERE EXISTS (SELECT 1 FROM credit_entries d WHERE d.kind = 'debit' AND d.reference = r.debit AND d.created_at >= ${startOfSpendDay}))`)}`,
});

const statements: Readonly<Record<EntryKind, string>> = {
  debit: postDebits,
  refund: postRefunds,
  purchase: postOthers,
  grant: postOthers,
  adjustment: postOthers,
};

/**
 * SQL for a larger statement: the CTEs `moved` and `posted`. They debit and count the one message of `source` (id, workspace_id, amount,
 * description), with an entry of this id. They are empty if the balance or the limit of the day is too low.
 */
export const debitOf = (source: string, entryId: string) => `moved AS (
    UPDATE workspaces w SET balance = w.balance - s.amount, entry_count = w.entry_count + 1, message_count = w.message_count + 1, updated_at = now(),
      ${countSpent('s.amount')}
    FROM ${source} s WHERE w.id = s.workspace_id AND w.balance >= s.amount AND ${isWithinLimit('s.amount')}
    RETURNING w.balance, w.entry_count
  ), posted AS (
    INSERT INTO credit_entries (id, workspace_id, number, kind, amount, balance_after, reference, description)
    SELECT ${entryId}, s.workspace_id, moved.entry_count, 'debit', -s.amount, moved.balance, s.id, s.description FROM moved, ${source} s
    RETURNING reference
  )`;
