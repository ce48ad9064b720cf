import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { prepareTemporal } from '../../../activities/worker/prepare-temporal.js';
import { select } from '../../../models/db/database.js';
import { portFault } from '../../../models/network/free-port.js';
import { createLogger } from '../../../models/process/logger.js';
import { generateApiKey } from '../../../models/rules/accounts/api-key.js';
import { until } from '../../support/client.js';
import { testEnv } from '../../support/config.js';
import { useDatabase } from '../../support/for-each.js';
import { forBriefProcess } from '../../support/parts/child.js';
import { freePort } from '../../support/network/free-port.js';
import { freshNamespace, type TestTemporal } from '../../support/temporal/temporal.js';

const program = resolve(import.meta.dirname, '../../../api/server.js');
const signup = {
  email: 'ada.lovelace@example.com',
  password: 'correct horse battery',
  company_name: 'Analytical Engines',
  phone: '+15557654321',
};

interface Running {
  child: ChildProcess;
  output: () => string;
  ready: Promise<unknown>;
  /** Exit code and signal. */
  exited: Promise<unknown[]>;
}

function run(env: NodeJS.ProcessEnv): Running {
  const { PATH, NODE_V8_COVERAGE } = process.env;
  const child = fork(program, { env: { PATH, NODE_V8_COVERAGE, ...env }, silent: true, execArgv: forBriefProcess });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (text += String(chunk)));
  return { child, output: () => text, ready: once(child, 'message'), exited: once(child, 'exit') };
}

describe('api/server', () => {
  const database = useDatabase();
  let temporal: TestTemporal;
  let port: number;
  let env: NodeJS.ProcessEnv;
  let started: Running[] = [];
  const start = (changes: NodeJS.ProcessEnv = {}) => {
    const running = run({ ...env, ...changes });
    started.push(running);
    return running;
  };
  const url = (path: string) => `http://127.0.0.1:${port}${path}`;
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(url(path), { method: 'POST', headers, body: JSON.stringify(body) });

  before(async () => {
    temporal = await freshNamespace();
    const logger = createLogger('worker', 'silent');
    await prepareTemporal({ ...temporal, schedules: temporal.client.schedule, installation: null, logger });
  });
  after(() => temporal.close());
  beforeEach(async () => {
    port = await freePort();
    env = testEnv({
      PORT: String(port),
      DATABASE_URL: database.url,
      TEMPORAL_NAMESPACE: temporal.namespace,
      ACCEPT_TIMEOUT_MS: '600',
      LOG_LEVEL: 'info',
    });
  });
  afterEach(async () => {
    for (const { child } of started) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await Promise.all(started.map(({ exited }) => exited));
    started = [];
  });

  it('the API exits with 1 and lists every wrong setting', async () => {
    const running = start({ PORT: 'x', JWT_SECRET: 'short' });
    running.ready.catch(() => undefined);
    assert.deepEqual(await running.exited, [1, null]);
    assert.match(running.output(), /^Bad settings:\n {2}- PORT .*\n {2}- JWT_SECRET .*\n$/);
  });

  it('the API exits with 1 and one sentence when its port is taken', async () => {
    const taken = createServer().listen(port, '127.0.0.1');
    await once(taken, 'listening');
    const running = start();
    assert.deepEqual(await running.exited, [1, null]);
    assert.equal(running.output(), `The API could not start: Port ${port} on 127.0.0.1 is already in use: set PORT to a free one.\n`);
    taken.close();
  });

  it('the API exits with 1 and names the migration that the database lacks', async () => {
    const removed = await select<{ name: string }>(database.db, `DELETE FROM schema_migrations WHERE name >= '0047' RETURNING name`);
    const running = start();
    running.ready.catch(() => undefined);
    assert.deepEqual(await running.exited, [1, null]);
    const named = 'The database lacks the migration 0047-forget-owners.sql. Run: npm run migrate\n';
    assert.equal(running.output(), `The API could not start: ${named}`);
    for (const { name } of removed) await select(database.db, 'INSERT INTO schema_migrations (name) VALUES ($1)', [name]);
  });

  it('the API starts without database and Temporal, which /health shows, and logs settings that do not fit together', async () => {
    const away = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', TEMPORAL_ADDRESS: '127.0.0.1:1' };
    const running = start({ ...away, STRIPE_SECRET_KEY: 'sk_test_1' });
    assert.deepEqual(await running.ready, [{ ready: true }, undefined]);
    const health = await fetch(url('/health'));
    assert.equal(health.status, 503);
    assert.deepEqual(((await health.json()) as { services: object }).services, { database: 'error', redis: 'ok', queue: 'error' });
    assert.equal((await fetch(url('/api/v1/messages'), { headers: { 'X-API-Key': generateApiKey() } })).status, 500);
    const warned = 'no credits are sold: STRIPE_WEBHOOK_SECRET is missing';
    await until(() => running.output().includes(warned), 'the log warns');
  });

  it('500 with Retry-After for a send without a worker, and the log holds no personal data', async () => {
    const running = start();
    await running.ready;
    assert.equal((await post('/api/v1/auth/signup', signup)).status, 201);
    const { token } = ((await (await post('/api/v1/auth/login', signup)).json()) as { data: { token: string } }).data;
    const created = (await (await post('/api/v1/api-keys', { name: 'x' }, { Authorization: `Bearer ${token}` })).json()) as {
      data: { key: string };
    };
    const { key } = created.data;
    const body = { to: '+15551239876', channel: 'sms', content: { text: 'a private text' }, metadata: { secret: 'of theirs' } };
    const answer = await post('/api/v1/messages/send?to=nobody', body, { 'X-API-Key': key, 'Idempotency-Key': 'their-key' });
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [500, '1']);
    const [counted] = await select(
      database.db,
      'SELECT (SELECT count(*) FROM messages) AS messages, (SELECT count(*) FROM credit_entries WHERE kind = $1) AS debits',
      ['debit'],
    );
    assert.deepEqual(counted, { messages: 0, debits: 0 });
    await post('/api/v1/auth/verify-email', { token: 'their-token' });
    const log = running.output();
    assert.match(log, /Temporal or a worker did not answer within 0\.6 s/);
    assert.match(log, /"route":"\/api\/v1\/messages\/send","status":500/);
    const given = ['of theirs', 'their-key', 'their-token', 'nobody'];
    for (const privateText of [...Object.values(signup), token, key, key.slice(8, 30), body.to, body.content.text, ...given]) {
      assert.ok(!log.includes(privateText), `the log has ${privateText}`);
    }
  });

  for (const [how, DRAIN_SECONDS] of [
    ['SIGTERM', '2'],
    ['SIGINT', '0'],
    ['disconnect', '0'],
  ] as const) {
    it(`the API answers open requests and exits with 0 on ${how}, with DRAIN_SECONDS=${DRAIN_SECONDS}`, async () => {
      const running = start({ DRAIN_SECONDS });
      await running.ready;
      await (await fetch(url('/health'))).text(); // leaves an idle connection open
      const slow = request({ port, host: '127.0.0.1', method: 'POST', path: '/api/v1/auth/verify-email' });
      const answered = once(slow, 'response');
      await new Promise((done) => void slow.write('{"token":', done));
      const [other] = (await once(request({ port, host: '127.0.0.1', path: '/live', agent: false }).end(), 'response')) as [
        IncomingMessage,
      ];
      other.resume(); // the slow request came before it
      const signalledAt = performance.now();
      if (how === 'disconnect') running.child.disconnect();
      else running.child.kill(how);
      await until(async () => (await portFault(port, '127.0.0.1')) === undefined, 'it takes no connections');
      assert.ok(performance.now() - signalledAt >= Number(DRAIN_SECONDS) * 1_000, 'it served on');
      slow.end('"x"}');
      const [response] = (await answered) as [IncomingMessage];
      response.resume();
      assert.equal(response.statusCode, 400);
      assert.deepEqual(await running.exited, [0, null]);
      assert.ok(performance.now() - signalledAt < 10_000, 'it does not wait for the end of the drain, after ten seconds');
    });
  }

  it('/ready says 503 after SIGTERM while the API serves on, and a second signal ends it at once', async () => {
    const running = start({ DRAIN_SECONDS: '60' });
    await running.ready;
    const statusOf = async (path: string) => (await fetch(url(path))).status;
    assert.equal(await statusOf('/ready'), 200);
    running.child.kill('SIGTERM');
    await until(async () => (await statusOf('/ready')) === 503, 'the drain begins');
    assert.equal(await statusOf('/live'), 200);
    const { status, headers } = await post('/api/v1/auth/verify-email', { token: 'x' });
    assert.deepEqual([status, headers.get('connection')], [400, 'close']);
    running.child.kill('SIGINT');
    assert.deepEqual(await running.exited, [0, null]);
  }).timeout(45_000); // well below the drain
});
