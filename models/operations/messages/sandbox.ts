/** The state of the sandbox provider. It plays an external carrier, so its state survives our restarts. */
import { makeId } from '../../rules/values/make-id.js';
import { type Database, inTransaction, select } from '../../db/database.js';
import type { Script } from '../../rules/messages/sandbox-recipients.js';
import type { SandboxReport } from '../../rules/callbacks/sandbox.js';
import { column, recordset } from '../../tables/columns.js';

/** One call to the sandbox. */
export interface SandboxCall {
  messageId: string;
  script: Script;
  /** The delay of one step of the script. */
  delayMs: number;
}

/** The sandbox's answer to a hand-off. */
export interface Taken {
  /** Null while it simulates an outage. */
  provider_message_id: string | null;
}

/**
 * Accepts each message once, however often it is called with the same id, and plans the reports of its script. @returns the answers in the
 * same order
 */
export async function takeMessages(db: Database, calls: readonly SandboxCall[]): Promise<Taken[]> {
  const rows = calls.map(({ messageId, script: { unavailable = 0, reports }, delayMs }) => {
    const planned = reports.map(({ status, error_code = null, step }) => ({ status, error_code, delay: step * delayMs }));
    return { id: makeId(), message_id: messageId, unavailable, reports: planned };
  });
  const once = new Map(rows.map((row) => [row.message_id, row])); // one statement accepts a message once
  const taken = await select<{ id: string; message_id: string; calls: number }>(db, take, [JSON.stringify([...once.values()])]);
  const byMessage = new Map(taken.map((row) => [row.message_id, row]));
  return rows.map(({ message_id, unavailable }) => {
    const row = byMessage.get(message_id);
    if (row === undefined) throw new Error('INSERT … ON CONFLICT DO UPDATE … RETURNING gave no row');
    return { provider_message_id: row.calls > unavailable ? row.id : null };
  });
}

const callColumns = { id: column.uuid(), message_id: column.uuid(), unavailable: column.integer(), reports: column.json() };
const reportColumns = { status: column.text(), error_code: column.text(), delay: column.integer() };

// Calls are counted. The first call after the simulated outage plans the reports.
const take = `
  WITH call AS (
    SELECT * FROM ${recordset('$1', 'c', callColumns)}
  ), taken AS (
    INSERT INTO sandbox_messages AS s (id, idempotency_key, calls) SELECT id, message_id, 1 FROM call ORDER BY message_id
    ON CONFLICT (idempotency_key) DO UPDATE SET calls = s.calls + 1
    RETURNING id, idempotency_key AS message_id, calls
  ), planned AS (
    INSERT INTO sandbox_reports (sandbox_id, status, error_code, due_at)
    SELECT taken.id, r.status, r.error_code, now() + r.delay * interval '1 millisecond'
    FROM taken JOIN call USING (message_id), ${recordset('call.reports', 'r', reportColumns)}
    WHERE taken.calls = call.unavailable + 1
  )
  SELECT id, message_id, calls FROM taken`;

/**
 * Passes the due reports to `post`, and marks them as posted if it succeeds. If it throws, they stay due. Several processes may do this
 * concurrently, because each report is locked by one of them.
 * @returns how many there were
 */
export function postDueReports(db: Database, limit: number, post: (reports: SandboxReport[]) => Promise<void>): Promise<number> {
  return inTransaction(db, async (transaction) => {
    const due = await select<SandboxReport & { row: number }>(db, dueReports, [limit], transaction);
    if (due.length === 0) return 0;
    await post(due.map(({ row: _, ...report }) => report));
    await select(db, 'UPDATE sandbox_reports SET posted_at = now() WHERE id = ANY($1::bigint[])', [due.map(({ row }) => row)], transaction);
    return due.length;
  });
}

const dueReports = `
  SELECT r.id AS row, s.id, s.idempotency_key AS reference, r.status, r.error_code, to_json(r.due_at) #>> '{}' AS occurred_at
  FROM sandbox_reports r JOIN sandbox_messages s ON s.id = r.sandbox_id
  WHERE r.posted_at IS NULL AND r.due_at <= now() ORDER BY r.due_at, r.id LIMIT $1 FOR UPDATE OF r SKIP LOCKED`;

/** The last due report of a message, posted or not: the answer to a status query. */
export async function lastReport(db: Database, providerMessageId: string): Promise<SandboxReport | undefined> {
  const [row] = await select<SandboxReport>(db, last, [providerMessageId]);
  return row;
}

const last = `
  SELECT s.id, s.idempotency_key AS reference, r.status, r.error_code, to_json(r.due_at) #>> '{}' AS occurred_at
  FROM sandbox_reports r JOIN sandbox_messages s ON s.id = r.sandbox_id
  WHERE s.id = $1 AND r.due_at <= now() ORDER BY r.due_at DESC, r.id DESC LIMIT 1`;
