import assert from 'node:assert/strict';
import { connect, type Database, openPool, select } from '../../../models/db/database.js';
import { issueApiKey } from '../../../models/operations/api-keys/issue-api-key.js';
import { systemOrigin } from '../../../models/rules/audit/origin.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { useDatabase } from '../../support/for-each.js';
import { buildWorkspace } from '../../support/rows/factories.js';

describe('settings of a session that the database sets differently', () => {
  const test = useDatabase();
  let db: Database | undefined;
  afterEach(() => db?.close());
  /** New connections to the database, which has this setting for all roles. */
  async function setTo(name: string, value: string): Promise<Database> {
    await select(test.db, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET ${name} = %L', current_database(), '${value}'); END $$`);
    db = connect(test.url, 8);
    return db;
  }

  for (const isolation of ['repeatable read', 'serializable']) {
    it(`concurrent requests do not exceed a quota where transactions are ${isolation} by default`, async () => {
      const its = await setTo('default_transaction_isolation', isolation);
      const { id } = await buildWorkspace(its);
      const config = testConfig({ MAX_API_KEYS: '3' });
      const wanted = { workspace_id: id, name: 'one of many', scopes: [] };
      const issued = await Promise.allSettled(Array.from({ length: 8 }, () => issueApiKey(its, config, wanted, systemOrigin('test'))));
      const refusals = issued.flatMap((each) => (each.status === 'rejected' ? [(each.reason as { code?: string }).code] : []));
      assert.deepEqual(refusals, ['limit_reached', 'limit_reached', 'limit_reached', 'limit_reached', 'limit_reached']);
      const [active] = await rows<{ count: number }>(its, 'SELECT count(*) FROM api_keys WHERE workspace_id = $1 AND is_active', [id]);
      assert.equal(active?.count, 3);
    });
  }

  it('timestamps are read where dates have the German style', async () => {
    const at = new Date('2026-11-29T12:00:00.123Z');
    const its = await setTo('datestyle', 'German');
    assert.deepEqual(await select(its, 'SELECT $1::timestamptz AS at', [at]), [{ at }]);
  });
});

describe('a database URL with options of its own', () => {
  const test = useDatabase();

  it('a connection has the options of the URL, and those of the program', async () => {
    const url = new URL(test.url);
    url.searchParams.set('options', '-c search_path=pg_temp -c work_mem=5MB -c enable_seqscan=on');
    const db = openPool(url.href, 1);
    const names = ['search_path', 'work_mem', 'enable_seqscan', 'plan_cache_mode', 'default_transaction_isolation'];
    const sql = 'SELECT current_setting(name) AS value FROM unnest($1::text[]) WITH ORDINALITY AS one (name, place) ORDER BY place';
    const found = await select<{ value: string }>(db, sql, [names]);
    await db.close();
    const values = found.map(({ value }) => value);
    assert.deepEqual(values, ['pg_temp', '5MB', 'off', 'force_generic_plan', 'read committed']);
  });
});
