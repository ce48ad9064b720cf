import assert from 'node:assert/strict';
import { select } from '../../../models/db/database.js';
import { createLogger } from '../../../models/process/logger.js';
import { requireSchema } from '../../../models/startup/require-schema.js';
import { useDatabase } from '../../support/for-each.js';
import { startFaultProxy } from '../../support/network/fault-proxy.js';
import { asProgram } from '../../support/servers.js';

describe('the schema that a process needs', () => {
  const database = useDatabase();
  const needed = (databaseUrl = database.url) => requireSchema({ databaseUrl }, createLogger('api', 'silent'));
  const newest = /^\d{4}[a-z]?-.+\.sql$/;

  it('the newest migration is named, also when the schema of the database is newer', async () => {
    assert.match((await needed()) ?? '', newest);
    await select(database.db, `INSERT INTO schema_migrations (name) VALUES ('9999-newer.sql')`);
    assert.match((await needed()) ?? '', newest);
    assert.notEqual(await needed(), '9999-newer.sql');
  });
  it('a process is refused if its role may not read which migrations were applied', async () => {
    const program = asProgram(database.url);
    const role = new URL(program).username;
    assert.match((await needed(program)) ?? '', newest);
    await select(database.db, `REVOKE SELECT ON schema_migrations FROM ${role}`);
    await assert.rejects(needed(program), {
      message:
        'The schema cannot be read: permission denied for table schema_migrations. Run: npm run migrate, with MIGRATE_DATABASE_URL of the owner',
    });
    await select(database.db, `GRANT SELECT ON schema_migrations TO ${role}`);
  });
  it('a process is refused with the first of two missing migrations', async () => {
    await select(database.db, `DELETE FROM schema_migrations WHERE name IN ('0046-complete-erasures.sql', '0048-sessions.sql')`);
    await assert.rejects(needed(), { message: 'The database lacks the migration 0046-complete-erasures.sql. Run: npm run migrate' });
  });
  it('no schema is demanded of a database that does not answer', async () => {
    assert.equal(await needed('postgres://nobody@127.0.0.1:1/none'), undefined);
  });
  it('no schema is demanded of a database that ends connections while they are set up', async () => {
    const { host } = new URL(database.url);
    const proxy = await startFaultProxy(host);
    proxy.mode = 'lose-set-ups';
    assert.equal(await needed(database.url.replace(host, proxy.address)), undefined);
    await proxy.close();
  });
});
