import assert from 'node:assert/strict';
import { type Database, inTransaction, select } from '../../models/db/database.js';

/** The checks read whole tables, but the settings of the program's connections are for statements that read few rows. */
const planWholeTables = `
  SELECT set_config(name, 'on', true) FROM unnest(ARRAY['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']) AS name`;

const differing = (db: Database, sql: string): Promise<object[]> =>
  inTransaction(db, async (transaction) => {
    await select(db, planWholeTables, [], transaction);
    return select(db, sql, [], transaction);
  });

/** Asserts that every balance matches its ledger, entry by entry. */
export async function assertLedger(db: Database): Promise<void> {
  const drift = await differing(
    db,
    `SELECT w.id, w.balance, COALESCE(sum(e.amount), 0)::bigint AS ledger FROM workspaces w LEFT JOIN credit_entries e ON e.workspace_id = w.id
     GROUP BY w.id HAVING w.balance <> COALESCE(sum(e.amount), 0)`,
  );
  assert.deepEqual(drift, [], 'every balance is the sum of its ledger');
  const strayed = await differing(
    db,
    `SELECT w.id, e.number, e.place, e.balance_after, w.opening_balance + e.sum AS ledger FROM workspaces w JOIN (
       SELECT workspace_id, number, balance_after, sum(amount) OVER walk, row_number() OVER walk AS place, count(*) OVER whole
       FROM credit_entries WHERE number IS NOT NULL
       WINDOW whole AS (PARTITION BY workspace_id), walk AS (PARTITION BY workspace_id ORDER BY number)
     ) e ON e.workspace_id = w.id
     WHERE e.number <> e.place OR e.balance_after <> w.opening_balance + e.sum OR e.count <> w.entry_count`,
  );
  assert.deepEqual(strayed, [], 'entries are numbered without a gap, in the order of their balances');
  await assertSpending(db);
}

/**
 * Asserts that the daily spending is the sum of the debits of the day minus their refunds. The refund of a step that took over a charge counts as
 * a refund of the first debit of its chain.
 */
async function assertSpending(db: Database): Promise<void> {
  const miscounted = await differing(
    db,
    `WITH RECURSIVE earlier AS (
       SELECT DISTINCT to_id AS id, to_id AS first FROM charge_transfers
       UNION ALL SELECT e.id, f.message_id FROM earlier e JOIN fallbacks f ON f.next_id = e.first
     ), refunds AS MATERIALIZED (
       SELECT COALESCE(m.batch_id::text, (
           SELECT e.first FROM earlier e WHERE e.id = m.id AND NOT EXISTS (SELECT 1 FROM fallbacks f WHERE f.next_id = e.first)
         )::text, m.id::text, r.reference) AS debit, r.amount, (r.created_at AT TIME ZONE 'UTC')::date AS day
       FROM credit_entries r LEFT JOIN messages m ON m.id = substring(r.reference FROM '[0-9a-f]{8}-[0-9a-f-]{27}')::uuid WHERE r.kind = 'refund'
     ), moved AS (
       SELECT d.workspace_id, -d.amount AS amount, (d.created_at AT TIME ZONE 'UTC')::date AS day FROM credit_entries d WHERE d.kind = 'debit'
       UNION ALL SELECT d.workspace_id, -r.amount, r.day FROM refunds r JOIN credit_entries d ON d.kind = 'debit' AND d.reference = r.debit
       WHERE (d.created_at AT TIME ZONE 'UTC')::date = r.day
     ), sums AS (SELECT workspace_id, day, sum(amount) AS amount FROM moved GROUP BY workspace_id, day)
     SELECT w.id, w.spend_day, w.spent_today, s.amount FROM workspaces w LEFT JOIN sums s ON s.workspace_id = w.id AND s.day = w.spend_day
     WHERE w.spend_day = (now() AT TIME ZONE 'UTC')::date AND w.spent_today <> COALESCE(s.amount, 0)`,
  );
  assert.deepEqual(miscounted, [], 'every workspace has spent today what it says');
}

/** Asserts the invariants that must hold after any crash: balances match the ledger, every charge has its message, and message counters are right. */
export async function assertBooks(db: Database): Promise<void> {
  await assertLedger(db);
  const uncharged = await differing(
    db,
    `SELECT m.id, m.status, m.credits_used FROM messages m
     LEFT JOIN credit_entries d ON d.kind = 'debit' AND d.reference = m.id::text
     LEFT JOIN credit_entries r ON r.kind = 'refund' AND r.reference = m.id::text
     LEFT JOIN (SELECT to_id, sum(amount) AS amount FROM charge_transfers GROUP BY to_id) taken ON taken.to_id = m.id
     LEFT JOIN (SELECT from_id, sum(amount) AS amount FROM charge_transfers GROUP BY from_id) given ON given.from_id = m.id
     WHERE m.batch_id IS NULL AND ((m.status = 'accepting') <> (d.id IS NULL) AND m.cost > COALESCE(taken.amount, 0)
       OR m.credits_used <> -COALESCE(d.amount, 0) - COALESCE(r.amount, 0) + COALESCE(taken.amount, 0) - COALESCE(given.amount, 0))`,
  );
  assert.deepEqual(
    uncharged,
    [],
    'every decided message was debited once, and refunded where it cost nothing and no later step took it over',
  );
  const miscounted = await differing(
    db,
    `SELECT w.id, w.message_count, count(m.id) AS shown FROM workspaces w LEFT JOIN messages m ON m.workspace_id = w.id AND m.status <> 'accepting'
     GROUP BY w.id HAVING w.message_count <> count(m.id)`,
  );
  assert.deepEqual(miscounted, [], 'every workspace has as many messages as it says');
  const batches = await differing(
    db,
    `SELECT b.id, b.status, b.cost, used.credits, debit.amount, back.amount AS refunded FROM batches b
     CROSS JOIN LATERAL (SELECT COALESCE(sum(m.credits_used), 0)::bigint AS credits FROM messages m WHERE m.batch_id = b.id) used
     LEFT JOIN credit_entries debit ON debit.kind = 'debit' AND debit.reference = b.id::text
     CROSS JOIN LATERAL (SELECT COALESCE(sum(e.amount), 0)::bigint AS amount FROM credit_entries e JOIN messages m
       ON e.reference IN (m.id::text, 'cancel:' || m.id::text) WHERE e.kind = 'refund' AND m.batch_id = b.id) back
     WHERE (b.status = 'accepting') <> (debit.id IS NULL) OR used.credits <> -COALESCE(debit.amount, 0) - back.amount`,
  );
  assert.deepEqual(batches, [], 'every batch was debited once, and its messages cost what was not refunded');
  const orphans = await differing(
    db,
    `SELECT e.id FROM credit_entries e WHERE e.kind = 'debit' AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.id::text = e.reference)
       AND NOT EXISTS (SELECT 1 FROM batches b WHERE b.id::text = e.reference)`,
  );
  assert.deepEqual(orphans, [], 'every debit has its message or its batch');
}
