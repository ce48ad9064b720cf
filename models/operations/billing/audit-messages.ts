/** Pieces of the audit that go by ranges of ids. They compare what messages and batches were charged, and what orders credited, with the ledger. */
import { type Database, select } from '../../db/database.js';
import { lowestId } from '../../rules/values/id-time.js';
import type { Difference } from '../../rules/billing/difference-text.js';
import type { AuditPiece } from './audit-piece.js';

interface IdPlace {
  after: string;
}

/** A piece that reads a number of rows after an id. Its statement returns the last id and the differences. */
const byIds =
  (what: string, sql: string, size: number): AuditPiece =>
  async (db: Database, place) => {
    const [piece] = await select<{ last: string | null; differing: (Difference['detail'] & { id: string })[] | null }>(db, sql, [
      (place as IdPlace | null)?.after ?? lowestId,
      size,
    ]);
    if (piece === undefined || piece.last === null) return null;
    const differences = (piece.differing ?? []).map(({ id, ...detail }) => ({ what, id, detail }));
    return { differences, place: { after: piece.last } };
  };

const outcome = `
  SELECT (SELECT id FROM piece ORDER BY id DESC LIMIT 1) AS last, (SELECT json_agg(d) FROM differing d) AS differing`;

/** SQL: joins what the message `row` took over from earlier messages of its chain (`taken`), and what later steps took over from it (`given`). */
const transfersOf = (row: string) => `
    CROSS JOIN LATERAL (SELECT COALESCE(sum(t.amount), 0)::bigint AS amount FROM charge_transfers t WHERE t.to_id = ${row}.id) taken
    CROSS JOIN LATERAL (SELECT COALESCE(sum(t.amount), 0)::bigint AS amount FROM charge_transfers t WHERE t.from_id = ${row}.id) given`;

/**
 * SQL: the entries of a cause. OFFSET keeps it one look-up by index for each cause: before PostgreSQL has statistics of the tables, it would
 * compare every cause with all entries of the kind.
 */
const entriesOf = (kind: 'debit' | 'refund' | 'purchase', reference: string) => `LATERAL (
      SELECT e.id, e.workspace_id, e.amount FROM credit_entries e WHERE e.kind = '${kind}' AND e.reference ${reference} OFFSET 0)`;

/**
 * Every accepted single message was debited once, and refunded if it cost nothing, except for what a later step of its chain took over. A
 * message that was never handed off costs nothing.
 */
export const auditMessages: AuditPiece = byIds(
  'charge of a message',
  `WITH piece AS (
    SELECT id, batch_id, status, cost, credits_used, sent_at FROM messages WHERE id > $1::uuid ORDER BY id LIMIT $2
  ), differing AS (
    SELECT p.id, p.status, p.cost, p.credits_used, d.amount AS debit, r.amount AS refund, taken.amount AS taken_over, given.amount AS given_over
    FROM piece p
    LEFT JOIN ${entriesOf('debit', '= p.id::text')} d ON true
    LEFT JOIN ${entriesOf('refund', '= p.id::text')} r ON true
    ${transfersOf('p')}
    WHERE p.status = 'failed' AND p.sent_at IS NULL AND p.credits_used <> 0 OR p.batch_id IS NULL AND (
      (p.status = 'accepting') <> (d.id IS NULL) AND p.cost > taken.amount
      OR p.credits_used <> -COALESCE(d.amount, 0) - COALESCE(r.amount, 0) + taken.amount - given.amount)
  ) ${outcome}`,
  2_000,
);

/** Every batch was debited once. Its messages cost what was debited less what was refunded. */
export const auditBatches: AuditPiece = byIds(
  'charge of a batch',
  `WITH piece AS (
    SELECT id, status FROM batches WHERE id > $1::uuid ORDER BY id LIMIT $2
  ), differing AS (
    SELECT p.id, p.status, used.credits AS credits_used, d.amount AS debit, back.amount AS refunds FROM piece p
    CROSS JOIN LATERAL (SELECT COALESCE(sum(m.credits_used), 0)::bigint AS credits FROM messages m WHERE m.batch_id = p.id) used
    LEFT JOIN ${entriesOf('debit', '= p.id::text')} d ON true
    CROSS JOIN LATERAL (
      SELECT COALESCE(sum(e.amount), 0)::bigint AS amount FROM messages m
      CROSS JOIN ${entriesOf('refund', "IN (m.id::text, 'cancel:' || m.id::text)")} e WHERE m.batch_id = p.id
    ) back
    WHERE (p.status = 'accepting') <> (d.id IS NULL) OR used.credits <> -COALESCE(d.amount, 0) - back.amount
  ) ${outcome}`,
  4,
);

/** Every paid order was credited once, and no other one. No more is taken back than was credited. */
export const auditOrders: AuditPiece = byIds(
  'credits of an order',
  `WITH piece AS (
    SELECT id, workspace_id, status, credits, reversed FROM credit_orders WHERE id > $1::uuid ORDER BY id LIMIT $2
  ), differing AS (
    SELECT p.*, e.amount AS credited FROM piece p LEFT JOIN ${entriesOf('purchase', '= p.id::text')} e ON true
    WHERE (CASE p.status WHEN 'paid' THEN p.credits ELSE 0 END) <> COALESCE(e.amount, 0) OR e.workspace_id <> p.workspace_id
      OR p.reversed NOT BETWEEN 0 AND COALESCE(e.amount, 0)
  ) ${outcome}`,
  2_000,
);

const uuid = `^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`;

/** Every debit has its message or batch, every refund its message, and every purchase its order. */
export const auditEntries: AuditPiece = byIds(
  'ledger entry without its cause',
  `WITH piece AS (
    SELECT id, workspace_id, kind, amount, reference FROM credit_entries WHERE id > $1::uuid ORDER BY id LIMIT $2
  ), caused AS (
    SELECT p.*, CASE WHEN replace(reference, 'cancel:', '') ~ '${uuid}' THEN replace(reference, 'cancel:', '')::uuid END AS cause FROM piece p
    WHERE kind IN ('debit', 'refund', 'purchase')
  ), differing AS (
    SELECT id, workspace_id, kind, amount, reference FROM caused c
    WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = c.cause AND c.kind <> 'purchase')
      AND NOT EXISTS (SELECT 1 FROM batches b WHERE b.id = c.cause AND c.kind = 'debit')
      AND NOT EXISTS (SELECT 1 FROM credit_orders o WHERE o.id = c.cause AND c.kind = 'purchase')
  ) ${outcome}`,
  2_000,
);
