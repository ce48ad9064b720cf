/** What must be true when everything is settled, asked of PostgreSQL and of the receiver. */
import { type Database, select } from '../models/database.js';
import { assertBooks } from '../test/support/invariants.js';
import { happyEvents, type Receiver } from './receiver.js';

/** Each finds messages that break a promise; `$1` are the ids in the 2xx answers. */
const promises: Readonly<Record<string, string>> = {
  'lost: answered 2xx and not delivered': `
    SELECT a.id FROM unnest($1::uuid[]) AS a (id) LEFT JOIN messages m ON m.id = a.id WHERE m.status IS DISTINCT FROM 'delivered'`,
  'stored without a 2xx answer': `SELECT id FROM messages WHERE NOT id = ANY($1::uuid[])`,
  'not charged exactly once': `
    SELECT a.id FROM unnest($1::uuid[]) AS a (id) JOIN messages m ON m.id = a.id
    LEFT JOIN credit_entries e ON e.kind = 'debit' AND e.reference = COALESCE(m.batch_id, m.id)::text GROUP BY a.id HAVING count(e.id) <> 1`,
  'charged something else than its price': `
    SELECT p.id FROM (
      SELECT COALESCE(batch_id, id) AS id, sum(cost) AS cost FROM messages WHERE id = ANY($1::uuid[]) GROUP BY 1
    ) p JOIN credit_entries e ON e.reference = p.id::text GROUP BY p.id, p.cost HAVING sum(e.amount) <> -p.cost`,
  'not taken by the provider exactly once': `
    SELECT a.id FROM unnest($1::uuid[]) AS a (id) LEFT JOIN sandbox_messages s ON s.idempotency_key = a.id
    GROUP BY a.id HAVING count(s.id) <> 1`,
  'not reported exactly once': `
    SELECT a.id FROM unnest($1::uuid[]) AS a (id) LEFT JOIN sandbox_messages s ON s.idempotency_key = a.id
    LEFT JOIN sandbox_reports r ON r.sandbox_id = s.id AND r.posted_at IS NOT NULL GROUP BY a.id HAVING count(r.id) <> 1`,
  'without exactly one event of each kind': `
    SELECT a.id FROM unnest($1::uuid[]) AS a (id) LEFT JOIN events e ON e.message_id = a.id
    GROUP BY a.id HAVING count(e.id) <> ${happyEvents.length} OR count(DISTINCT e.type) <> ${happyEvents.length}`,
  'with an event that is not delivered': `SELECT message_id AS id FROM deliveries WHERE status <> 'succeeded'`,
};
const shownMax = 3;

/** Broken promises, in words; none when all is well. */
export async function findViolations(db: Database, { seen, counts }: Receiver, messageIds: ReadonlySet<string>): Promise<string[]> {
  const violations: string[] = [];
  const report = (what: string, ids: string[]) => {
    if (ids.length > 0) violations.push(`${ids.length} ${what}: ${ids.slice(0, shownMax).join(', ')}${ids.length > shownMax ? ', …' : ''}`);
  };
  for (const [what, sql] of Object.entries(promises)) {
    // A statement may not have parameters that it does not use.
    const rows = await select<{ id: string }>(db, sql, sql.includes('$1') ? [[...messageIds]] : []);
    report(
      what,
      rows.map(({ id }) => id),
    );
  }
  report(
    'without an event at the receiver',
    [...messageIds].filter((id) => !happyEvents.every((event) => seen.get(id)?.has(event))),
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
