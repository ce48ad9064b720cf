/** Removes from a closed workspace what names its owner and the owner's clients. Safe to repeat. */
import { type Database, select } from '../../db/database.js';
import { microsOf, timeOfMicros } from '../../db/micros.js';
import { apiKeyColumns } from '../../tables/api-key.js';
import { lowestId } from '../../rules/values/id-time.js';
import type { Columns } from '../../tables/columns.js';
import { webhookColumns } from '../../tables/webhook.js';

/**
 * Works in statements of bounded size. The rows stay: they still say what was done, what was paid, and which keys there were.
 * @param untilMs milliseconds since 1970. No statement begins later
 * @returns false if the time was over before everything was removed
 */
export async function forgetOwner(db: Database, workspaceId: string, untilMs: number, page: number): Promise<boolean> {
  // First, because the audit events know the owner's addresses.
  if (!(await forgetPayments(db, workspaceId, untilMs, page))) return false;
  if (!(await forgetAuditEvents(db, workspaceId, untilMs, page))) return false;
  for (const sql of statements) {
    for (let changed = page; changed === page; ) {
      if (Date.now() > untilMs) return false;
      changed = (await select(db, sql, [workspaceId, page])).length;
    }
  }
  return true;
}

const emptying = (table: string, values: string, isFull: string) => `
  UPDATE ${table} SET ${values} WHERE id IN (SELECT id FROM ${table} WHERE workspace_id = $1 AND (${isFull}) LIMIT $2) RETURNING id`;

/** SQL: changes the columns that are declared `personal`. @param instead the values of those that cannot be null */
function emptyingPersonal(table: string, columns: Columns, instead: Readonly<Record<string, string>>, isDue = 'true'): string {
  const personal = Object.entries(columns).flatMap(([name, { isPersonal }]) => (isPersonal ? [name] : []));
  const values = personal.map((name) => ({ name, value: name in instead ? `'${instead[name]}'` : 'NULL' }));
  const isFull = values.map(({ name, value }) => `${name} IS DISTINCT FROM ${value}`).join(' OR ');
  return emptying(table, values.map(({ name, value }) => `${name} = ${value}`).join(', '), `${isDue} AND (${isFull})`);
}

const statements = [
  // A mail that was not sent yet informs the owner of the end. It loses its recipient when it is sent.
  emptying('mails', 'detail = NULL', 'detail IS NOT NULL AND (sent_at IS NOT NULL OR refused_code IS NOT NULL)'),
  emptying('mail_tokens', 'email = NULL', 'email IS NOT NULL'),
  emptyingPersonal('api_keys', apiKeyColumns, { name: 'Key of a closed account' }),
  emptyingPersonal('webhooks', webhookColumns, { url: 'https://closed.invalid/' }, 'deleted_at IS NOT NULL'),
  emptying('credit_orders', 'idempotency_key = NULL, request_digest = NULL', 'idempotency_key IS NOT NULL'),
  `DELETE FROM login_addresses WHERE (workspace_id, digest) IN (SELECT workspace_id, digest FROM login_addresses WHERE workspace_id = $1 LIMIT $2)
   RETURNING digest`,
  `UPDATE suspensions SET reason = ''
   WHERE workspace_id IN (SELECT workspace_id FROM suspensions WHERE workspace_id = $1 AND reason <> '' LIMIT $2) RETURNING workspace_id`,
  // A login that was in progress at the end of the account stores its session afterwards.
  'DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE workspace_id = $1 LIMIT $2) RETURNING id',
];

/** The payment provider's events have no workspace. They name its sessions, its payments or its owner. */
async function forgetPayments(db: Database, workspaceId: string, untilMs: number, page: number): Promise<boolean> {
  const names = (await select<{ name: string }>(db, paymentNames, [workspaceId])).map(({ name }) => JSON.stringify(name));
  if (names.length === 0) return true;
  return inPages(untilMs, { provider: '', event_id: '' }, (after) =>
    select(db, emptyPayments, [after.provider, after.event_id, page, names]),
  );
}

/**
 * Page by page, each after the last row of the one before.
 * @param emptyPage empties the rows of a page. Resolves with its last row; with none if there is no page left
 * @returns false if the time was over before the last page
 */
async function inPages<Place>(untilMs: number, first: Place, emptyPage: (after: Place) => Promise<Place[]>): Promise<boolean> {
  for (let after: Place | undefined = first; after !== undefined; [after] = await emptyPage(after)) if (Date.now() > untilMs) return false;
  return true;
}

/** None if it has never ordered anything. */
const paymentNames = `
  SELECT name FROM (
    SELECT session_id AS name FROM credit_orders WHERE workspace_id = $1 UNION SELECT payment_id FROM credit_orders WHERE workspace_id = $1
    UNION SELECT actor_name FROM audit_events WHERE workspace_id = $1 AND actor_type = 'user' AND actor_name LIKE '%@%'
  ) n WHERE name IS NOT NULL AND EXISTS (SELECT 1 FROM credit_orders WHERE workspace_id = $1)`;

const emptyPayments = `
  WITH page AS MATERIALIZED (
    SELECT provider, event_id, raw FROM payment_events WHERE (provider, event_id) > ($1, $2) ORDER BY provider, event_id LIMIT $3
  ), emptied AS (
    UPDATE payment_events e SET raw = '' FROM page
    WHERE e.provider = page.provider AND e.event_id = page.event_id
      AND EXISTS (SELECT 1 FROM unnest($4::text[]) AS name WHERE position(name IN page.raw) > 0)
  )
  SELECT provider, event_id FROM page ORDER BY provider DESC, event_id DESC LIMIT 1`;

/** There may be many. A page that began at the first event would read all that are emptied already. */
const forgetAuditEvents = (db: Database, workspaceId: string, untilMs: number, page: number): Promise<boolean> =>
  inPages(untilMs, { micros: 0, id: lowestId }, (after) => select(db, emptyAuditEvents, [workspaceId, page, after.micros, after.id]));

/** SQL: the changes of an audit event may name somebody. Those of payments contain only sums, which the ledger has, too. */
const namingChanges = `changes IS NOT NULL AND type NOT LIKE 'billing.%'`;

const emptyAuditEvents = `
  WITH page AS MATERIALIZED (
    SELECT id, at FROM audit_events
    WHERE workspace_id = $1 AND (at, id) > (${timeOfMicros('$3')}, $4::uuid)
      AND (COALESCE(actor_name, address, user_agent, target_name) IS NOT NULL OR ${namingChanges})
    ORDER BY at, id LIMIT $2
  ), emptied AS (
    UPDATE audit_events e
    SET actor_name = NULL, address = NULL, user_agent = NULL, target_name = NULL, changes = CASE WHEN NOT (${namingChanges}) THEN changes END
    FROM page WHERE e.id = page.id
  )
  SELECT ${microsOf('at')} AS micros, id FROM page ORDER BY at DESC, id DESC LIMIT 1`;
