import assert from 'node:assert/strict';
import type { Database } from '../../../models/db/database.js';
import { settleClosed } from '../../../models/operations/accounts/settle-closed.js';
import { rows } from '../../support/database.js';
import { tablesOfWorkspaces } from '../../support/rows/tables-of-workspaces.js';
import { useApi } from '../use-api.js';
import { owner, password } from '../accounts/owner.js';

/** The tables that keep rows of a closed account, by the reason. Other tests see that the texts are emptied. */
const kept: Readonly<Record<string, string[]>> = {
  'emptied of what names the owner': ['api_keys', 'audit_events', 'credit_orders', 'mail_tokens', 'mails', 'suspensions', 'webhooks'],
  'erased when the messages are one day old': ['batches', 'events', 'messages'],
  'the ledger names nobody': ['credit_entries', 'ledger_marks'],
  'without a recipient when the erasure is done': ['erasures'],
  'only ids, times and numbers': [
    'erasure_places',
    'mcp_sends',
    'message_changes',
    'message_rollups',
    'open_streams',
    'streamed_workspaces',
  ],
  'only ids and times, and deleted when they expire': ['revoked_tokens'],
};

describe('the tables of a closed account', () => {
  const app = useApi();

  it('the end of an account deletes its rows from every table that is not named with a reason to keep them', async () => {
    const { db } = app.deps;
    const me = await owner(app);
    await rows(db, withoutConstraints);
    const tables = await tablesOfWorkspaces(db);
    for (const table of tables) await insertAny(db, table, me.workspaceId);
    assert.equal((await me.call('DELETE', '/auth/workspace', { current_password: password })).status, 200);
    await settleClosed(db, me.workspaceId, Date.now() + 20_000);
    const stay: string[] = [];
    for (const table of tables) {
      const [row] = await rows(db, `SELECT 1 FROM ${table} WHERE workspace_id = $1 LIMIT 1`, [me.workspaceId]);
      if (row !== undefined) stay.push(table);
    }
    assert.deepEqual(
      stay,
      Object.values(kept).flat().toSorted(),
      'delete the rows of a new table in settleClosed, or list it with a reason',
    );
  });
});

/** So that a row with any values can be inserted. */
const withoutConstraints = `
  DO $$ DECLARE c record; BEGIN
    FOR c IN SELECT conrelid::regclass AS name, conname FROM pg_constraint
      WHERE contype IN ('c', 'f') AND coninhcount = 0 AND connamespace = 'public'::regnamespace LOOP
      EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', c.name, c.conname);
    END LOOP;
  END $$`;

/** Inserts a row with values only in the columns that need one. */
async function insertAny(db: Database, table: string, workspaceId: string): Promise<void> {
  const needed = await rows<{ name: string; type: string }>(db, neededColumns, [table]);
  const values = needed.map(
    ({ type }) => anyOf[type] ?? (type.endsWith('[]') ? `'{}'` : assert.fail(`${table}: no value of the type ${type}`)),
  );
  await rows(
    db,
    `INSERT INTO ${table} (${['workspace_id', ...needed.map(({ name }) => `"${name}"`)].join(', ')}) VALUES (${['$1', ...values].join(', ')})`,
    [workspaceId],
  );
}

/** Values of columns, in SQL, by their type in PostgreSQL. */
const anyOf: Readonly<Record<string, string>> = {
  bigint: '1',
  boolean: 'false',
  bytea: `'\\x00'`,
  date: 'now()',
  'double precision': '1',
  inet: `'127.0.0.1'`,
  integer: '1',
  json: `'{}'`,
  jsonb: `'{}'`,
  smallint: '1',
  text: `'x'`,
  'timestamp with time zone': 'now()',
  uuid: 'gen_random_uuid()',
  xid8: 'pg_current_xact_id()',
};

const neededColumns = `
  SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
  WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attnotnull AND NOT atthasdef AND attidentity = '' AND attname <> 'workspace_id'`;
