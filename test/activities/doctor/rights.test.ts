import assert from 'node:assert/strict';
import { runChecks } from '../../../activities/doctor/check.js';
import { databaseCheck } from '../../../activities/doctor/checks/database.js';
import { connect } from '../../../models/db/database.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { useDatabase } from '../../support/for-each.js';
import { asProgram } from '../../support/servers.js';

describe('the doctor and the rights of the database role', () => {
  const test = useDatabase();

  it('the doctor fails a role that may read messages but not write them', async () => {
    const url = asProgram(test.url);
    await rows(test.db, `REVOKE INSERT, UPDATE, DELETE ON messages FROM ${new URL(url).username}`);
    const db = connect(url, 1);
    try {
      const findings = await databaseCheck.run({ db, config: testConfig(), signal: AbortSignal.timeout(10_000) });
      const rights = findings.find(({ subject }) => subject === 'PostgreSQL rights');
      assert.deepEqual([rights?.state, rights?.detail], ['failed', 'the role may not write messages']);
    } finally {
      await db.close();
    }
  });

  it('the doctor fails a role without any right, and names the URL with which the migration grants them', async () => {
    const url = asProgram(test.url);
    await rows(test.db, `REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${new URL(url).username}`);
    const db = connect(url, 1);
    const findings = await runChecks([databaseCheck], { config: testConfig(), db });
    await db.close();
    const wrong = findings.filter(({ state }) => state === 'failed').map(({ subject, detail }) => [subject, detail]);
    const rights = ['PostgreSQL rights', 'the role may not write messages'];
    assert.deepEqual(wrong, [['PostgreSQL schema', 'permission denied for table schema_migrations'], rights]);
    for (const { state, fix = '' } of findings)
      if (state === 'failed') assert.match(fix, /migrate.*, with MIGRATE_DATABASE_URL of the owner$/);
  });
});
