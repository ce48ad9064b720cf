import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
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

  for (const how of ['SIGTERM', 'disconnect'] as const) {
    it(`exits 0 on ${how}`, async () => {
      const { address: TEMPORAL_ADDRESS, namespace: TEMPORAL_NAMESPACE } = temporal;
      const { PATH, NODE_V8_COVERAGE } = process.env;
      const worker = spawn(process.execPath, [resolve(import.meta.dirname, '../../../activities/worker.js')], {
        env: { PATH, NODE_V8_COVERAGE, ...testEnv({ DATABASE_URL: database.url, TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE }) },
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      const exited = once(worker, 'exit');
      await Promise.race([once(worker, 'message'), exited]);
      if (how === 'disconnect') worker.disconnect();
      else worker.kill(how);
      assert.deepEqual(await exited, [0, null]);
    });
  }
});
