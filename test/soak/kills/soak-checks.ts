/** What must be true when everything is settled, asked of PostgreSQL and of the receiver. */
import { type Database, select } from '../../../models/db/database.js';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { happyEvents, type Receiver } from '../../../harness/load/receiver.js';

/** Each finds messages that break a promise; `$1` are the ids in the 2xx answers. */
type Promises = Readonly<Record<string, string>>;

const always: Promises = {
  'stored without a 2xx answer': `SELECT id FROM messages WHERE NOT id = ANY($1::uuid[])`,
  'not charged exactly once': `
    SELECT a.id FROM unnest($1::uuid[]) AS a (id) JOIN messages m ON m.id = a.id
    LEFT JOIN credit_entries e ON e.kind = 'debit' AND e.reference = COALESCE(m.batch_id, m.id)::text GROUP BY a.id HAVING count(e.id) <> 1`,
  'charged something else than its price': `
    SELECT p.id FROM (
      SELECT COALESCE(batch_id, id) AS id, sum(cost) AS cost FROM messages WHERE id = ANY($1::uuid[]) GROUP BY 1
    ) p JOIN credit_entries e ON e.reference = p.id::text GROUP BY p.id, p.cost HAVING sum(e.amount) <> -p.cost`,
  'with an event that is not delivered': `SELECT message_id AS id FROM deliveries WHERE status <> 'succeeded'`,
};

/** Where nothing was cancelled. */
const ofDelivered: Promises = {
  'lost: answered 2xx and not delivered': `
    SELECT a.id FROM unnest($1::uuid[]) AS a (id) LEFT JOIN messages m ON m.id = a.id WHERE m.status IS DISTINCT FROM 'delivered'`,
  'not taken by the provider exactly once': `
    SELECT a.id FROM unnest($1::uuid[]) AS a (id) LEFT JOIN sandbox_messages s ON s.idempotency_key = a.id
    GROUP BY a.id HAVING count(s.id) <> 1`,
  'not reported exactly once': `
    SELECT a.id FROM unnest($1::uuid[]) AS a (id) LEFT JOIN sandbox_messages s ON s.idempotency_key = a.id
    LEFT JOIN sandbox_reports r ON r.sandbox_id = s.id AND r.posted_at IS NOT NULL GROUP BY a.id HAVING count(r.id) <> 1`,
  'without exactly one event of each kind': `
    SELECT a.id FROM unnest($1::uuid[]) AS a (id) LEFT JOIN events e ON e.message_id = a.id
    GROUP BY a.id HAVING count(e.id) <> ${happyEvents.length} OR count(DISTINCT e.type) <> ${happyEvents.length}`,
};

/**
 * Of a batch that was cancelled in the middle. A call of which nobody can say whether the provider took it, as the process died during
 * it, ends as `handoff_unknown`, refunded; a report proves it later where there was one.
 */
const ofCancelled: Promises = {
  'lost: neither delivered nor failed': `
    SELECT a.id FROM unnest($1::uuid[]) AS a (id) LEFT JOIN messages m ON m.id = a.id WHERE m.status IS NULL OR m.status NOT IN ('delivered', 'failed')`,
  'delivered and not taken by the provider exactly once': `
    SELECT m.id FROM messages m LEFT JOIN sandbox_messages s ON s.idempotency_key = m.id WHERE m.status = 'delivered'
    GROUP BY m.id HAVING count(s.id) <> 1`,
  'cancelled after the provider took it': `
    SELECT m.id FROM messages m JOIN sandbox_messages s ON s.idempotency_key = m.id WHERE m.status = 'failed' AND m.status_detail = 'cancelled'`,
  'cancelled and charged': `SELECT id FROM messages WHERE status_detail = 'cancelled' AND credits_used <> 0`,
  'delivered and not charged, though its hand-off was answered': `
    SELECT m.id FROM messages m WHERE m.status = 'delivered' AND m.credits_used <> m.cost
      AND EXISTS (SELECT 1 FROM send_attempts a WHERE a.message_id = m.id AND a.outcome = 'accepted')`,
  'with an event twice': `SELECT message_id AS id FROM events GROUP BY message_id, type HAVING count(*) > 1`,
  'without its last event': `
    SELECT m.id FROM messages m WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.message_id = m.id AND e.type = 'message.' || m.status)`,
};
const shownMax = 3;

/** Broken promises, in words; none when all is well. */
export async function findViolations(
  db: Database,
  { seen, counts }: Receiver,
  messageIds: ReadonlySet<string>,
  wasCancelled: boolean,
): Promise<string[]> {
  const violations: string[] = [];
  const report = (what: string, ids: string[]) => {
    if (ids.length > 0) violations.push(`${ids.length} ${what}: ${ids.slice(0, shownMax).join(', ')}${ids.length > shownMax ? ', …' : ''}`);
  };
  for (const [what, sql] of Object.entries({ ...always, ...(wasCancelled ? ofCancelled : ofDelivered) })) {
    // A statement may not have parameters that it does not use.
    const rows = await select<{ id: string }>(db, sql, sql.includes('$1') ? [[...messageIds]] : []);
    report(
      what,
      rows.map(({ id }) => id),
    );
  }
  report(
    'without an event at the receiver',
    [...messageIds].filter(
      (id) => !(seen.get(id)?.has('message.failed') && wasCancelled) && !happyEvents.every((event) => seen.get(id)?.has(event)),
    ),
  );
  if (counts.forged > 0) violations.push(`${counts.forged} requests with a wrong signature`);
  await assertBooks(db).catch((error: unknown) => violations.push(`the books do not balance: ${(error as Error).message}`));
  return violations;
}

/** What happened more than once, as it may. */
export async function countFigures(db: Database, { seen, counts }: Receiver) {
  const [row] = await select<{ repeated: number }>(db, 'SELECT COALESCE(sum(calls - 1), 0)::bigint AS repeated FROM sandbox_messages');
  const distinct = [...seen.values()].reduce((sum, events) => sum + events.size, 0);
  return { received: { all: counts.received - counts.forged, distinct }, repeatedHandoffs: row?.repeated ?? 0 };
}
