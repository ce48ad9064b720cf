import assert from 'node:assert/strict';
import { keepPrepared } from '../../../activities/worker/keep-prepared.js';
import { prepareTemporal } from '../../../activities/worker/prepare-temporal.js';
import { installationMemo, installationOf } from '../../../models/startup/installation.js';
import { createLogger } from '../../../models/process/logger.js';
import { workflowIds } from '../../../workflows/contract.js';
import { until } from '../../support/client.js';
import { testConfig } from '../../support/config.js';
import { freshDatabase, type TestDatabase } from '../../support/database.js';
import { type FaultProxy, startFaultProxy } from '../../support/network/fault-proxy.js';
import { freshNamespace, type TestTemporal } from '../../support/temporal/temporal.js';

describe('a namespace that is prepared during an outage of PostgreSQL', () => {
  const logger = createLogger('worker', 'silent');
  let database: TestDatabase;
  let temporal: TestTemporal;
  let proxy: FaultProxy;
  beforeEach(async () => {
    [database, temporal] = await Promise.all([freshDatabase(), freshNamespace()]);
    proxy = await startFaultProxy(new URL(database.url).host);
    proxy.mode = 'refuse';
  });
  afterEach(async () => {
    await Promise.all([proxy.close(), temporal.close()]);
    await database.drop();
  });

  const keep = () => {
    const url = new URL(database.url);
    url.host = proxy.address;
    return keepPrepared(testConfig({ DATABASE_URL: url.href, TEMPORAL_NAMESPACE: temporal.namespace }), logger, 50);
  };
  const readOwner = async () =>
    (await temporal.client.schedule.getHandle(workflowIds.watcher).describe()).action.memo?.[installationMemo] ?? null;

  it('a namespace belongs to the installation of the worker as soon as PostgreSQL answers', async () => {
    const keeping = await keep();
    assert.equal(await readOwner(), null);
    proxy.mode = 'pass';
    const own = await installationOf(database.db);
    await until(async () => (await readOwner()) === own, 'the schedule names the installation');
    await keeping.end();
  });

  it('a worker ends as soon as PostgreSQL answers, if its namespace belongs to another installation', async () => {
    const { connection, client, namespace } = temporal;
    await prepareTemporal({ connection, schedules: client.schedule, namespace, installation: 'another', logger });
    const keeping = await keep();
    proxy.mode = 'pass';
    await keeping.ended;
    await assert.rejects(keeping.end(), { message: new RegExp(`^The Temporal namespace ${namespace} belongs to another installation`) });
    assert.equal(await readOwner(), 'another');
  });
});
