/** The piece of the audit that reads the ledger, workspace by workspace and entry by entry. */
import { type Database, select } from '../../db/database.js';
import { lowestId } from '../../rules/values/id-time.js';
import type { Difference } from '../../rules/billing/difference-text.js';
import type { AuditPiece } from './audit-piece.js';

/** The progress inside a workspace. The next workspace begins after its last entry. */
interface Walk {
  workspace: string;
  /** The number of the last entry that was read. */
  after: number;
  /** The sum up to that entry in thousandths of a credit. */
  sum: number;
  /** The sum of those that took back purchased credits or restored them, up to this entry: a former version of the audit adds none. */
  reversals?: { sum: number; after: number } | undefined;
  /** The first entry that strayed since the last correction of an operator. */
  strayed?: number | null;
  isOver: boolean;
}

const entriesAtOnce = 5_000;

/** The cause of an entry with which an operator accepted a balance (`acknowledgeDrift`) begins with this. */
export const correctionPrefix = 'correction:';

/**
 * Verifies that the numbers of the entries have no gaps, that each entry has the balance that follows from the entries before it, and that all
 * entries add up to the balance of the workspace. Wrong entries before a correction of an operator are not reported, as long as all entries up to
 * the correction add up to its balance.
 */
export const auditLedger: AuditPiece = async (db, place) => {
  const walk = place as Walk | null;
  if (walk !== null && !walk.isOver) return auditNextEntries(db, walk);
  const [begun] = await select<Opening>(db, opening, [walk?.workspace ?? lowestId]);
  if (begun === undefined) return null;
  const { id, opening_balance, unnumbered, reversals } = begun;
  const piece = await auditNextEntries(db, {
    workspace: id,
    after: 0,
    sum: opening_balance,
    reversals: { sum: reversals, after: 0 },
    isOver: false,
  });
  if (opening_balance !== unnumbered) piece.differences.unshift(differs('opening balance', id, { id, opening_balance, unnumbered }));
  return piece;
};

/** Continues in the ledger of one workspace. After its last entry, reports what strayed, and also compares its balance and its reversals. */
async function auditNextEntries(db: Database, walk: Walk): Promise<{ differences: Difference[]; place: Walk }> {
  const reached = await readEntries(db, walk);
  if (!reached.isOver) return { differences: [], place: reached };
  const { workspace, strayed = null } = reached;
  const differences = strayed === null ? [] : [differs('ledger entry', workspace, { number: strayed })];
  return {
    differences: [...differences, ...(await compareBalance(db, reached)), ...(await compareReversals(db, reached))],
    place: reached,
  };
}

async function readEntries(db: Database, walk: Walk): Promise<Walk> {
  const [piece] = await select<LedgerPiece>(db, entries, [walk.workspace, walk.after, walk.sum, entriesAtOnce]);
  const { corrected = null, strayed = null, count = 0, last, sum, reversals } = piece ?? {};
  const earlier = corrected === null ? walk.strayed : null;
  const after = last ?? walk.after;
  return {
    ...walk,
    after,
    sum: sum ?? walk.sum,
    reversals: walk.reversals?.after === walk.after ? { sum: walk.reversals.sum + (reversals ?? 0), after } : undefined,
    strayed: earlier ?? strayed,
    isOver: count < entriesAtOnce,
  };
}

/** Reads the ledger of a workspace to its end. @returns its last entry, its sum, and the first entry that strayed */
export async function readLedger(db: Database, workspace: string): Promise<Pick<Walk, 'after' | 'sum' | 'strayed'>> {
  const [row] = await select<{ sum: number }>(db, 'SELECT opening_balance AS sum FROM workspaces WHERE id = $1', [workspace]);
  let walk: Walk = { workspace, after: 0, sum: row?.sum ?? 0, isOver: false };
  while (!walk.isOver) walk = await readEntries(db, walk);
  return walk;
}

interface Opening {
  id: string;
  opening_balance: number;
  /** The sum of the entries without a number, which are older than the numbering. */
  unnumbered: number;
  /** The sum of those that are reversals. */
  reversals: number;
}

interface LedgerPiece {
  /** The last correction to which the entries add up. */
  corrected: number | null;
  /** The first entry after it with a wrong number, or with a balance that does not follow from the entries before it. */
  strayed: number | null;
  count: number;
  last: number | null;
  sum: number | null;
  reversals: number | null;
}

/**
 * SQL: the amount of a row of the ledger if it took back purchased credits, restored them, lent credits as debt (`takeCredits`) or paid debt; else
 * 0. An operator may give any description to a grant.
 */
const reversal = `CASE WHEN kind = 'adjustment' AND (starts_with(reference, 'debt:')
    OR description ~ '^Payment (taken back|restored): ' AND NOT starts_with(reference, 'operator:' || workspace_id || ':')) THEN amount ELSE 0 END`;

const opening = `
  WITH next AS MATERIALIZED (SELECT id, opening_balance FROM workspaces WHERE id > $1::uuid ORDER BY id LIMIT 1)
  SELECT n.id, n.opening_balance, old.unnumbered, old.reversals FROM next n CROSS JOIN LATERAL (
    SELECT COALESCE(sum(amount), 0)::bigint AS unnumbered, COALESCE(sum(${reversal}), 0)::bigint AS reversals
    FROM credit_entries WHERE workspace_id = n.id AND number IS NULL
  ) old`;

const entries = `
  WITH piece AS (
    SELECT number, amount, balance_after, kind = 'adjustment' AND starts_with(reference, '${correctionPrefix}') AS corrects, ${reversal} AS reversal
    FROM credit_entries WHERE workspace_id = $1 AND number > $2 ORDER BY number LIMIT $4
  ), walked AS (
    SELECT number, balance_after, corrects, $3::bigint + sum(amount) OVER walk AS running, $2::bigint + row_number() OVER walk AS place
    FROM piece WINDOW walk AS (ORDER BY number)
  ), accepted AS (
    SELECT max(number) AS number FROM walked WHERE corrects AND balance_after = running
  )
  SELECT (SELECT number FROM accepted) AS corrected, count(*) AS count, max(number) AS last,
    min(number) FILTER (WHERE (number <> place OR balance_after <> running) AND number > COALESCE((SELECT number FROM accepted), 0)) AS strayed,
    ($3::bigint + (SELECT sum(amount) FROM piece))::bigint AS sum, (SELECT sum(reversal)::bigint FROM piece) AS reversals
  FROM walked`;

/** Reads the remaining entries and the balance in one statement, because the balance may change while entries are read. */
async function compareBalance(db: Database, { workspace, after, sum }: Walk): Promise<Difference[]> {
  const rows = await select(db, balance, [workspace, after, sum]);
  return rows.map((row) => differs('balance', workspace, row));
}

const balance = `
  SELECT w.balance, w.entry_count, $3::bigint + rest.amount AS ledger, $2::bigint + rest.count AS entries
  FROM workspaces w CROSS JOIN LATERAL (
    SELECT COALESCE(sum(e.amount), 0)::bigint AS amount, count(*) AS count FROM credit_entries e WHERE e.workspace_id = w.id AND e.number > $2
  ) rest
  WHERE w.id = $1 AND (w.balance <> $3::bigint + rest.amount OR w.entry_count <> $2::bigint + rest.count)`;

/**
 * Verifies that the ledger has taken back as much as the orders say, less the debt, which is still to be taken. One statement, like that of the
 * balance.
 */
async function compareReversals(db: Database, { workspace, after, reversals }: Walk): Promise<Difference[]> {
  const rows = reversals === undefined ? [] : await select(db, reversed, [workspace, after, reversals.sum]);
  return rows.map((row) => differs('credits taken back', workspace, row));
}

const reversed = `
  SELECT w.debt, orders.reversed, -($3::bigint + rest.amount) AS taken FROM workspaces w
  CROSS JOIN LATERAL (SELECT COALESCE(sum(o.reversed), 0)::bigint AS reversed FROM credit_orders o WHERE o.workspace_id = w.id) orders
  CROSS JOIN LATERAL (
    SELECT COALESCE(sum(${reversal}), 0)::bigint AS amount FROM credit_entries e WHERE e.workspace_id = w.id AND e.number > $2
  ) rest
  WHERE w.id = $1 AND orders.reversed <> w.debt - $3::bigint - rest.amount`;

const differs = (what: string, workspaceId: string, detail: object): Difference => ({ what, id: workspaceId, detail });
