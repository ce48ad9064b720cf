import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { select } from '../../../models/db/database.js';
import { testEnv } from '../../support/config.js';
import { freshDatabase, type TestDatabase } from '../../support/database.js';
import { freshNamespace, type TestTemporal } from '../../support/temporal/temporal.js';

describe('the worker process', () => {
  let database: TestDatabase;
  let temporal: TestTemporal;
  before(async () => {
    [database, temporal] = await Promise.all([freshDatabase(), freshNamespace()]);
  });
  after(async () => {
    await temporal.close();
    await database.drop();
  });

  const start = (stderr: 'inherit' | 'pipe') => {
    const { address: TEMPORAL_ADDRESS, namespace: TEMPORAL_NAMESPACE } = temporal;
    const { PATH, NODE_V8_COVERAGE } = process.env;
    return spawn(process.execPath, [resolve(import.meta.dirname, '../../../activities/worker.js')], {
      env: { PATH, NODE_V8_COVERAGE, ...testEnv({ DATABASE_URL: database.url, TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE }) },
      stdio: ['ignore', 'inherit', stderr, 'ipc'],
    });
  };

  it('exits 1 and names the first migration on an empty database', async () => {
    await select(database.db, 'ALTER TABLE schema_migrations RENAME TO hidden');
    const worker = start('pipe');
    const exited = once(worker, 'exit');
    assert.ok(worker.stderr !== null);
    assert.equal(await text(worker.stderr), 'The database lacks the migration 0001-initial.sql. Run: npm run migrate\n');
    assert.deepEqual(await exited, [1, null]);
    await select(database.db, 'ALTER TABLE hidden RENAME TO schema_migrations');
  });

  for (const how of ['SIGTERM', 'disconnect'] as const) {
    it(`exits 0 on ${how}`, async () => {
      const worker = start('inherit');
      const exited = once(worker, 'exit');
      await Promise.race([once(worker, 'message'), exited]);
      if (how === 'disconnect') worker.disconnect();
      else worker.kill(how);
      assert.deepEqual(await exited, [0, null]);
    });
  }
});
