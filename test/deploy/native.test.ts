/**
 * What docker-compose.yml starts, without containers: migrate, api and worker with the very commands and environments of
 * the file, on a real PostgreSQL, Redis and Temporal.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DemoClient } from '../../local/demo/demo-client.js';
import { type Database, select } from '../../models/db/database.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { freePort } from '../support/network/free-port.js';
import { asProgram } from '../support/servers.js';
import { freshNamespace, type TestTemporal } from '../support/temporal/temporal.js';
import { filledIn } from './env-example.js';
import { eventually, NativeProcess } from './native-process.js';

interface Health {
  status: string;
  services: Record<string, string>;
}

describe('the services of docker-compose.yml as processes', () => {
  // The tests ask for /health often while a process starts.
  const rates = { RATE_LIMIT_AUTH: '1000/60', RATE_LIMIT_API: '1000/60' };
  const dotEnv = { ...filledIn(), SIGNUP_CREDITS: '5', SANDBOX_DELAY_MS: '20', ...rates };
  const dataDir = mkdtempSync(join(tmpdir(), 'tidings-native-'));
  let database: TestDatabase;
  let temporal: TestTemporal;
  let addresses: NodeJS.ProcessEnv;
  let baseUrl: string;
  let metricsPorts: Record<string, number>;
  const running = new Map<string, NativeProcess>();

  before(async function () {
    if (process.env.TEST_REDIS === undefined) this.skip();
    [database, temporal] = await Promise.all([freshDatabase(), freshNamespace()]);
    await select(database.db, 'DROP SCHEMA public CASCADE');
    await select(database.db, 'CREATE SCHEMA public');
    const port = await freePort();
    // Another installation on this machine may have the usual ports. A worker takes the port after METRICS_PORT.
    metricsPorts = { api: await freePort(), worker: (await freePort()) - 1 };
    baseUrl = `http://127.0.0.1:${port}`;
    addresses = {
      PORT: String(port),
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
      PUBLIC_URL: baseUrl,
      CALLBACK_URL: baseUrl,
      DATABASE_URL: asProgram(database.url),
      MIGRATE_DATABASE_URL: database.url,
      REDIS_URL: process.env.TEST_REDIS,
      TEMPORAL_ADDRESS: temporal.address,
      TEMPORAL_NAMESPACE: temporal.namespace,
    };
  });

  after(async () => {
    await Promise.all([...running.values()].map((started) => started.stop(10_000)));
    rmSync(dataDir, { recursive: true, force: true });
    await temporal?.close();
    await database?.drop();
  });

  const start = (service: string): NativeProcess => {
    const started = new NativeProcess(service, dotEnv, { ...addresses, METRICS_PORT: String(metricsPorts[service] ?? 0) });
    running.set(service, started);
    return started;
  };
  const health = async (): Promise<{ status: number; body: Health }> => {
    const response = await fetch(`${baseUrl}/health`);
    return { status: response.status, body: (await response.json()) as Health };
  };

  it('migrate creates the schema and exits 0, also a second time', async () => {
    const first = await start('migrate').ended;
    assert.equal(first.code, 0, first.output);
    assert.match(first.output, /^Applied 0001-/);
    const second = await start('migrate').ended;
    assert.deepEqual([second.code, second.output.trim()], [0, 'The schema is up to date.']);
    assert.ok(await hasTable(database.db, 'messages'));
  });

  it('/health is 503 while the API has no worker', async () => {
    start('api');
    await eventually(async () => {
      const { status, body } = await health();
      assert.deepEqual([status, body.services], [503, { database: 'ok', redis: 'ok', queue: 'error' }]);
    }, 30_000);
  });

  it('/health is 200 once a worker runs', async () => {
    start('worker');
    await eventually(async () => {
      const { status, body } = await health();
      assert.deepEqual(
        [status, body.status, body.services],
        [200, 'ok', { database: 'ok', redis: 'ok', queue: 'ok' }],
        running.get('worker')?.output,
      );
    }, 30_000);
  });

  it('a message is delivered after a signup', async () => {
    const client = new DemoClient(baseUrl, AbortSignal.timeout(60_000));
    const account = { email: 'native@tidings.invalid', password: 'a good password' };
    await client.call('POST', '/auth/signup', { body: { ...account, company_name: 'Native' } });
    const { token } = await client.call<{ token: string }>('POST', '/auth/login', { body: account });
    const { key } = await client.call<{ key: string }>('POST', '/api-keys', { token, body: { name: 'native' } });
    const body = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } };
    const sent = await client.call<{ message: { id: string } }>('POST', '/messages/send', { apiKey: key, body });
    await eventually(async () => {
      const { message } = await client.call<{ message: { status: string } }>('GET', `/messages/${sent.message.id}`, { apiKey: key });
      assert.equal(message.status, 'delivered');
    }, 20_000);
  });

  it('api and worker exit 0 on SIGTERM within their stop_grace_period', async () => {
    for (const service of ['api', 'worker']) {
      const ended = await running.get(service)?.stop(20_000);
      assert.deepEqual([ended?.code, ended?.signal], [0, null], `${service}: ${ended?.output}`);
    }
  });
});

const hasTable = async (db: Database, name: string): Promise<boolean> =>
  (await select(db, 'SELECT 1 AS one FROM information_schema.tables WHERE table_name = $1', [name])).length === 1;
