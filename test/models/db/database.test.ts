import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPool, select } from '../../../models/db/database.js';
import { freshDatabase, type TestDatabase } from '../../support/database.js';
import { startFaultProxy } from '../../support/network/fault-proxy.js';

describe('connections to PostgreSQL', () => {
  let test: TestDatabase;
  before(async () => {
    test = await freshDatabase();
  });
  after(() => test.drop());

  it('are given up without an answer, and the next statement gets another one', async () => {
    const { host } = new URL(test.url);
    const proxy = await startFaultProxy(host);
    const db = openPool(test.url.replace(host, proxy.address), 1, 300);
    assert.deepEqual(await select(db, 'SELECT 1 AS one'), [{ one: 1 }]);
    proxy.mode = 'blackhole';
    await assert.rejects(select(db, 'SELECT 1 AS one'));
    proxy.mode = 'pass';
    assert.deepEqual(await select(db, 'SELECT 2 AS two'), [{ two: 2 }]);
    await db.close();
    await proxy.close();
  });

  it('never end the process when the server closes them', async () => {
    const db = openPool(test.url, 5);
    const sql = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    let failed = 0;
    for (let round = 0; round < 40; round += 1) {
      const work = Array.from({ length: 5 }, () => select(db, 'SELECT 1 AS one').catch(() => void (failed += 1)));
      await select(test.db, sql);
      await Promise.all(work);
    }
    for (let left = 50; left > 0; left -= 1) {
      if (await select(db, 'SELECT 1 AS one').catch(() => undefined)) break;
      await sleep(20);
    }
    assert.deepEqual(await select(db, 'SELECT 1 AS one'), [{ one: 1 }]);
    assert.ok(failed > 0, 'connections were ended during statements');
    await db.close();
  });
});
