import assert from 'node:assert/strict';
import { connect, type Database } from '../../../models/db/database.js';
import { rows } from '../../support/database.js';
import { useDatabase } from '../../support/for-each.js';
import { buildWorkspace } from '../../support/rows/factories.js';
import { asProgram } from '../../support/servers.js';

const denied = '42501'; // insufficient_privilege

describe('the role of the running program', () => {
  const test = useDatabase();
  let program: Database;
  let workspaceId: string;
  before(async () => {
    workspaceId = (await buildWorkspace(test.db)).id;
    program = connect(asProgram(test.url), 2);
  });
  after(() => program.close());

  it('the role of the running program reads and writes every table, and only inserts into append-only ones', async () => {
    const tables = await rows<{ name: string }>(test.db, `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`);
    const refused: string[] = [];
    for (const { name } of tables)
      for (const right of ['SELECT', 'INSERT', 'UPDATE', 'DELETE']) {
        const [has] = await rows<{ it: boolean }>(program, 'SELECT has_table_privilege($1, $2) AS it', [name, right]);
        if (has?.it !== true) refused.push(`${right} ${name}`);
      }
    assert.deepEqual(refused.toSorted(), [
      'DELETE credit_entries',
      'DELETE schema_migrations',
      'INSERT schema_migrations',
      'UPDATE audit_events',
      'UPDATE credit_entries',
      'UPDATE schema_migrations',
    ]);
  });

  for (const statement of [
    'DROP TABLE messages',
    'DROP TRIGGER credit_entries_append_only ON credit_entries',
    'ALTER TABLE credit_entries DISABLE TRIGGER ALL',
    'TRUNCATE messages CASCADE',
    'CREATE TABLE stolen (id integer)',
    `UPDATE credit_entries SET amount = 0`,
    `UPDATE audit_events SET type = 'auth.login'`,
    `UPDATE audit_events SET at = now(), address = NULL`,
    `COPY (SELECT 1) TO PROGRAM 'true'`,
    `SET session_replication_role = replica`,
  ]) {
    it(`the role of the running program is refused: ${statement}`, () =>
      assert.rejects(rows(program, statement), (error: { original?: { code?: string } }) => error.original?.code === denied));
  }

  it('the role of the running program empties what is personal in audit events', () =>
    rows(program, 'UPDATE audit_events SET actor_name = NULL, address = NULL, user_agent = NULL, target_name = NULL, changes = NULL'));

  it('the role of the running program may update a workspace', async () => {
    await rows(program, 'UPDATE workspaces SET balance = balance WHERE id = $1', [workspaceId]);
  });
});
