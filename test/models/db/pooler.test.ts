import assert from 'node:assert/strict';
import { runChecks } from '../../../activities/doctor/check.js';
import { databaseCheck } from '../../../activities/doctor/checks/database.js';
import { sessionsCheck } from '../../../activities/doctor/checks/sessions.js';
import { getHealthEndpoint } from '../../../api/endpoints/operators/health.js';
import { dataIn, type Reply } from '../../../api/http/reply.js';
import { type Database, openPool } from '../../../models/db/database.js';
import { explainDatabaseError } from '../../../models/db/explain-database-error.js';
import { migrateWith } from '../../../models/migrate.js';
import { useApi } from '../../api/use-api.js';
import { testConfig } from '../../support/config.js';
import { type Pooler, type PoolerMode, startPooler } from '../../support/network/pooler.js';

const directly = /^DATABASE_URL .*must reach PostgreSQL directly, not through a pooler$/;

describe('a pooler in front of PostgreSQL', () => {
  const app = useApi();
  let pooler: Pooler | undefined;
  let db: Database | undefined;
  afterEach(async () => {
    await db?.close();
    await pooler?.close();
    [db, pooler] = [undefined, undefined];
  });
  async function through(mode: PoolerMode): Promise<Database> {
    pooler = await startPooler(app.deps.config.databaseUrl, mode);
    db = openPool(pooler.url, 2);
    return db;
  }
  const found = async (its: Database, check = sessionsCheck) => (await runChecks([check], { config: testConfig(), db: its }))[0];

  it('the doctor finds nothing wrong without a pooler', async () => {
    assert.equal((await found(app.deps.db))?.state, 'ok');
  });

  it('the doctor reports a pooler that drops the session settings', async () => {
    const { state, detail, fix = '' } = (await found(await through('drop-settings'))) ?? {};
    assert.deepEqual([state, detail], ['failed', 'a pooler drops the session settings, the first is DateStyle']);
    assert.match(fix, directly);
  });

  it('the doctor reports a pooler that loses prepared statements', async () => {
    const { state, detail = '', fix = '' } = (await found(await through('transactions'))) ?? {};
    assert.equal(state, 'failed');
    assert.match(detail, /^prepared statement .* does not exist$/);
    assert.match(fix, directly);
  });

  it('the database is an error in /health if a pooler loses prepared statements', async () => {
    const its = await through('transactions');
    const states = [];
    // Of three checks on two connections, two use the same.
    for (let round = 0; round < 3; round += 1) {
      const shown = (await getHealthEndpoint.handler({} as never, { ...app.deps, db: its })) as Reply;
      states.push((dataIn(shown) as { services: { database: string } }).services.database);
    }
    assert.ok(states.includes('error'), states.join());
  });

  it('the doctor and the migration say what to do where a pooler refuses the session settings', async () => {
    const its = await through('refuse-settings');
    for (const check of [databaseCheck, sessionsCheck]) assert.match((await found(its, check))?.fix ?? '', directly);
    const databaseUrl = pooler?.url ?? '';
    await assert.rejects(migrateWith({ databaseUrl, migrateDatabaseUrl: databaseUrl }), (error: Error) => {
      assert.match(
        explainDatabaseError(error),
        /^PostgreSQL cannot be used: unsupported startup parameter: .* directly, not through a pooler$/,
      );
      return true;
    });
  });
});
