/** What a workspace may do now: its funds, its spending limit of the day, and whether it is suspended. */
import { type Database, select } from '../../db/database.js';

/** What a workspace can pay, in thousandths of a credit. */
export interface Funds {
  balance: number;
  /** What its spending limit leaves for today; null: it has no limit. */
  spend_left: number | null;
}

/** The state of a workspace at the start of a request. */
export interface WorkspaceStanding extends Funds {
  /** Countries to whose phone numbers it may send; null: all. */
  allowed_countries: string[] | null;
  email_verified: boolean;
  is_suspended: boolean;
}

/** SQL: the day by the database's clock, UTC. */
export const today = `(now() AT TIME ZONE 'UTC')::date`;

/**
 * SQL: the day for which something counts now. It never goes back, because a transaction that began before midnight may be applied after one that
 * began later. A clock that was wrong by days has no effect from the next day on.
 * @param last SQL: the day for which something was counted last
 */
export const countedDay = (last: string) => `LEAST(GREATEST(${last}, ${today}), ${today} + 1)`;

/** SQL: the day on which workspace `w` spends. */
const spendDay = countedDay('w.spend_day');

/** SQL: what workspace `w` has spent on that day. */
const spentToday = `CASE WHEN w.spend_day = ${spendDay} THEN w.spent_today ELSE 0 END`;

/** SQL: assignments that count `amount` as spent by workspace `w`. */
export const countSpent = (amount: string) => `spend_day = ${spendDay}, spent_today = ${spentToday} + ${amount}`;

/** SQL: whether the limit of workspace `w` allows `amount`. */
export const isWithinLimit = (amount: string) => `(w.spend_limit_day IS NULL OR ${spentToday} + ${amount} <= w.spend_limit_day)`;

/** SQL: an assignment that subtracts `amount` from what workspace `w` spent on this day. */
export const countGivenBack = (amount: string) =>
  `spent_today = CASE WHEN w.spend_day = ${spendDay} THEN GREATEST(w.spent_today - ${amount}, 0) ELSE w.spent_today END`;

/** SQL: the start of the day on which workspace `w` spends. Debits since then count for this day. */
export const startOfSpendDay = `w.spend_day::timestamp AT TIME ZONE 'UTC'`;

/** SQL: the columns of `Funds`, of workspace `w`. */
export const funds = `w.balance, w.spend_limit_day - ${spentToday} AS spend_left`;

/** SQL: the columns of `WorkspaceStanding`, of workspace `w`. */
export const standing = `${funds}, w.allowed_countries, w.email_verified,
  EXISTS (SELECT 1 FROM suspensions s WHERE s.workspace_id = w.id) AS is_suspended`;

/** The funds of these workspaces by id, without those that no longer exist. */
export async function fundsOf(db: Database, workspaceIds: readonly string[]): Promise<Map<string, Funds>> {
  const rows = await select<Funds & { id: string }>(db, `SELECT w.id, ${funds} FROM workspaces w WHERE w.id = ANY($1::uuid[])`, [
    workspaceIds,
  ]);
  return new Map(rows.map(({ id, ...found }) => [id, found]));
}

/** The balance of a workspace and its spending of today, in thousandths of a credit. */
export interface Spending {
  balance: number;
  spent_today: number;
  spend_limit_day: number | null;
}

export async function spendingOf(db: Database, workspaceId: string): Promise<Spending> {
  const sql = `SELECT w.balance, ${spentToday} AS spent_today, w.spend_limit_day FROM workspaces w WHERE w.id = $1`;
  const [spending] = await select<Spending>(db, sql, [workspaceId]);
  return spending ?? { balance: 0, spent_today: 0, spend_limit_day: null };
}

/** The largest amount that fits both the balance and the limit. */
export const affordable = ({ balance, spend_left }: Funds): number => Math.min(balance, spend_left ?? balance);
