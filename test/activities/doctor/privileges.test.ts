import assert from 'node:assert/strict';
import { runChecks } from '../../../activities/doctor/check.js';
import { databaseCheck } from '../../../activities/doctor/checks/database.js';
import { connect } from '../../../models/db/database.js';
import { until } from '../../support/client.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { useDatabase } from '../../support/for-each.js';
import { asProgram } from '../../support/servers.js';

describe('the doctor and the privileges of the database role', () => {
  const test = useDatabase();

  it('the doctor fails a role that may read messages but not write them', async () => {
    const url = asProgram(test.url);
    await rows(test.db, `REVOKE INSERT, UPDATE, DELETE ON messages FROM ${new URL(url).username}`);
    const db = connect(url, 1);
    try {
      const findings = await databaseCheck.run({ db, config: testConfig(), signal: AbortSignal.timeout(10_000) });
      const privileges = findings.find(({ subject }) => subject === 'PostgreSQL privileges');
      assert.deepEqual([privileges?.state, privileges?.detail], ['failed', 'the role may not write messages']);
    } finally {
      await db.close();
    }
  });

  for (const role of ['program', 'owner']) {
    it(`the doctor counts the connections of clients as the ${role}, and none that is reserved`, async () => {
      const db = connect(role === 'program' ? asProgram(test.url) : test.url, 1);
      const clients = async () =>
        (await rows<{ count: number }>(test.db, `SELECT count(*) AS count FROM pg_stat_activity WHERE backend_type = 'client backend'`))[0]
          ?.count ?? 0;
      const [{ usable } = { usable: 0 }] = await rows<{ usable: number }>(test.db, usableConnections);
      const config = { ...testConfig(), databasePoolMax: 1_000_000 }; // so that the doctor always says how many are left
      let detail: string | undefined;
      const counts = async () => {
        const before = await clients();
        const findings = await databaseCheck.run({ db, config, signal: AbortSignal.timeout(10_000) });
        detail = findings.find((finding) => finding.detail.endsWith('connections free'))?.detail;
        return before === (await clients()) && detail === `${usable - before} of ${usable} connections free`;
      };
      try {
        await until(counts, () => `the doctor says: ${detail}`); // other tests may connect meanwhile
      } finally {
        await db.close();
      }
    });
  }

  it('the doctor fails a role without any right, and names the URL with which the migration grants them', async () => {
    const url = asProgram(test.url);
    await rows(test.db, `REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${new URL(url).username}`);
    const db = connect(url, 1);
    const findings = await runChecks([databaseCheck], { config: testConfig(), db });
    await db.close();
    const wrong = findings.filter(({ state }) => state === 'failed').map(({ subject, detail }) => [subject, detail]);
    const privileges = ['PostgreSQL privileges', 'the role may not write messages'];
    assert.deepEqual(wrong, [['PostgreSQL schema', 'permission denied for table schema_migrations'], privileges]);
    for (const { state, fix = '' } of findings)
      if (state === 'failed') assert.match(fix, /migrate.*, with MIGRATE_DATABASE_URL of the owner$/);
  });
});

const usableConnections = `SELECT sum(CASE name WHEN 'max_connections' THEN setting::integer ELSE -setting::integer END)::integer AS usable FROM pg_settings
  WHERE name IN ('max_connections', 'superuser_reserved_connections', 'reserved_connections')`;
