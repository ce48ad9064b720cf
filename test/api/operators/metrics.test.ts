import assert from 'node:assert/strict';
import { ApiKey } from '../../../models/tables/api-key.js';
import type { Workspace } from '../../../models/tables/workspace.js';
import { scopes } from '../../../models/rules/accounts/api-key.js';
import { bearer, restClient, until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { scrape, type Series, sumOf } from '../../support/metrics-page.js';
import { freePort } from '../../support/network/free-port.js';
import { type Receiver, startReceiver } from '../../support/network/receiver.js';
import { buildWorkspace } from '../../support/rows/factories.js';
import { type Service, startService } from '../../support/service.js';

/** Workspaces, and how many of them send. */
const many = 1_000;
const sending = 200;
const together = 20;
const recipient = (at: number) => `+1555200${String(at).padStart(4, '0')}`;
const names = (series: Series) => new Set(series.keys());

describe('metrics', () => {
  let service: Service;
  let receiver: Receiver;
  let api: number;
  let worker: number;
  before(async () => {
    [api, worker, receiver] = await Promise.all([freePort(), freePort(), startReceiver()]);
    service = await startService({ apiEnv: { METRICS_PORT: String(api) }, workerEnv: { METRICS_PORT: String(worker - 1) } });
  });
  after(async () => {
    await service.stop();
    await receiver.close();
  });

  const send = (key: string, body: object) =>
    fetch(`${service.url}/api/v1/messages/send`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const delivered = async (count: number) =>
    until(async () => {
      const [row] = await rows<{ count: number }>(service.db, "SELECT count(*) FROM messages WHERE status = 'delivered'");
      return Number(row?.count) >= count;
    }, `${count} messages are delivered`);

  /** @returns them with a key each; the first ones can send */
  async function buildWorkspaces(): Promise<{ workspaces: Workspace[]; keys: string[] }> {
    const workspaces: Workspace[] = [];
    while (workspaces.length < many) {
      const credits = workspaces.length < sending ? 100_000 : 0;
      workspaces.push(...(await Promise.all(Array.from({ length: together }, () => buildWorkspace(service.db, credits)))));
    }
    const keys: string[] = [];
    const issue = async ({ id }: Workspace) =>
      (await ApiKey.issue(service.config.secretKey, { workspace_id: id, name: 'test', scopes })).key;
    while (keys.length < many) keys.push(...(await Promise.all(workspaces.slice(keys.length, keys.length + together).map(issue))));
    return { workspaces, keys };
  }
  const read = async (key: string) => {
    const answer = await fetch(`${service.url}/api/v1/balance`, { headers: { 'X-API-Key': key } });
    assert.equal(answer.status, 200, await answer.text());
  };
  const sendFrom = (keys: string[], begin: number) =>
    Promise.all(
      keys.slice(begin, begin + together).map(async (key, index) => {
        const body = { to: recipient(begin + index), channel: 'sms', content: { text: 'Hello' } };
        assert.equal((await send(key, body)).status, 201);
      }),
    );

  it('metrics count the way of a message: accept, hand-off, reports, delivery, webhook', async () => {
    const client = restClient(service.url);
    const account = await client.signUp();
    const hook = { url: receiver.url, events: ['message.delivered'] };
    assert.equal((await client.call('POST', '/api/v1/webhooks', { body: hook, headers: bearer(account.token) })).status, 201);
    await client.send(account);
    await receiver.until(1);
    await delivered(1);
    const [{ series: inApi }, { series: inWorker }] = [await scrape(api), await scrape(worker)];
    assert.equal(sumOf(inApi, 'tidings_accepts_total', { channel: 'sms', outcome: 'accepted' }), 1);
    assert.equal(sumOf(inApi, 'tidings_accept_seconds_count', { channel: 'sms' }), 1);
    const operation = 'POST /api/v1/messages/send';
    assert.equal(sumOf(inApi, 'tidings_http_requests_total', { operation, status_class: '2xx' }), 1);
    assert.ok(sumOf(inApi, 'tidings_reports_total', { account: 'sandbox', status: 'delivered' }) >= 1);
    assert.equal(sumOf(inWorker, 'tidings_handoffs_total', { channel: 'sms', account: 'sandbox', outcome: 'accepted' }), 1);
    assert.equal(sumOf(inWorker, 'tidings_message_handed_off_seconds_count', { channel: 'sms' }), 1);
    assert.equal(sumOf(inWorker, 'tidings_message_delivered_seconds_count', { channel: 'sms' }), 1);
    assert.equal(sumOf(inWorker, 'tidings_webhook_attempts_total', { first: 'true', outcome: 'succeeded' }), 1);
    assert.ok(sumOf(inWorker, 'tidings_database_pool_wait_seconds_count') > 0);
  });

  it('metrics count what the thread of batches does, and those of Temporal and Node are shown', async () => {
    const client = restClient(service.url);
    const account = await client.signUp();
    const body = {
      channel: 'email',
      recipients: [1, 2, 3].map((at) => ({ to: `r${at}@example.test` })),
      content: { subject: 'x', text: 'x' },
    };
    const answer = await client.call('POST', '/api/v1/messages/bulk', { body, headers: { 'X-API-Key': account.apiKey } });
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    const ofWorker = async (name: string, labels = {}) => sumOf((await scrape(worker)).series, name, labels);
    await until(async () => (await ofWorker('tidings_handoffs_total', { channel: 'email', outcome: 'accepted' })) === 3, 'three hand-offs');
    await until(async () => (await ofWorker('tidings_batch_page_seconds_count')) === 1, 'one page');
    assert.equal(await ofWorker('tidings_message_handed_off_seconds_count', { channel: 'email' }), 0, 'a batch is late by its rate');
    const { series } = await scrape(worker);
    for (const name of [
      'temporal_worker_task_slots_available',
      'temporal_sticky_cache_size',
      'process_cpu_seconds_total',
      'process_start_time_seconds',
      'nodejs_eventloop_lag_p99_seconds',
      'tidings_data_dir_free_bytes',
      'tidings_clock_offset_seconds',
    ])
      assert.ok(
        [...series.keys()].some((key) => key.startsWith(name)),
        name,
      );
    const threadOf = (queue: string) =>
      new Set(
        [...series.keys()].flatMap((key) => (key.includes(`task_queue="${queue}"`) ? (/part="(\w+)"/.exec(key)?.slice(1) ?? []) : [])),
      );
    assert.deepEqual(['messages', 'bulk', 'webhooks'].map(threadOf), [new Set(['messages']), new Set(['bulk']), new Set(['bulk'])]);
  });

  it('the metrics of the API show what the database knows about the service', async () => {
    const { series } = await scrape(api);
    assert.equal(sumOf(series, 'tidings_workers_alive'), 1);
    assert.ok(sumOf(series, 'tidings_webhooks', { state: 'active' }) <= 1);
    assert.equal(series.get('tidings_watcher_failing_steps'), 0);
    assert.ok((series.get('tidings_service_read_age_seconds') ?? 99) < 30);
    assert.equal(series.get('tidings_messages_open_complete'), 1);
    assert.ok(Math.abs(series.get('tidings_clock_offset_seconds') ?? 99) < 1);
  });

  it('each page of metrics shows only what its process knows, and how full its pools are', async () => {
    const [{ series: inApi }, { series: inWorker }] = [await scrape(api), await scrape(worker)];
    assert.equal(inWorker.get('tidings_workers_alive'), undefined);
    assert.equal(inApi.get('tidings_ledger_drift_workspaces'), undefined);
    for (const series of [inApi, inWorker]) {
      const [used, idle] = ['used', 'idle'].map((state) => sumOf(series, 'tidings_database_connections', { state }));
      const max = series.get('tidings_database_connections_max') ?? 0;
      assert.ok(max > 1 && (used ?? 0) + (idle ?? 0) <= max, `${used} + ${idle} of ${max}`);
      assert.equal(series.get('tidings_database_pool_waiting'), 0);
      assert.ok(sumOf(series, 'tidings_database_statement_seconds_count') > 0);
    }
  });

  it('pages of metrics are OpenMetrics where that is asked for', async () => {
    for (const port of [api, worker]) {
      const page = await scrape(port, 'application/openmetrics-text;version=1.0.0,text/plain;q=0.5');
      assert.match(page.type, /^application\/openmetrics-text; version=1\.0\.0/);
      assert.ok(page.text.endsWith('\n# EOF\n') && page.text.indexOf('# EOF') === page.text.length - 6);
      assert.deepEqual(page.text.match(/^# TYPE tidings_\S+_total counter$/gm), null);
      assert.ok(sumOf(page.series, 'tidings_database_pool_wait_seconds_count') > 0);
      assert.match((await scrape(port)).type, /^text\/plain; version=0\.0\.4/);
    }
  });

  it('metrics have no further series for a thousand workspaces, and name nobody', async () => {
    const { workspaces, keys } = await buildWorkspaces();
    await read(keys[0] ?? '');
    await sendFrom(keys, 0); // the first messages that share a workflow bring the series of its type
    await delivered(together + 4);
    const before = [names((await scrape(api)).series), names((await scrape(worker)).series)];
    for (let begin = together; begin < sending; begin += together) await sendFrom(keys, begin);
    for (let begin = sending; begin < many; begin += together) await Promise.all(keys.slice(begin, begin + together).map(read));
    await delivered(sending + 4);
    const pages = [await scrape(api), await scrape(worker)];
    for (const [at, { series, text }] of pages.entries()) {
      const added = [...names(series)].filter((name) => before[at]?.has(name) !== true);
      assert.ok(added.length < 100, added.join('\n'));
      for (const secret of [...workspaces.map(({ id }) => id), ...keys, ...keys.map((_, index) => recipient(index)), receiver.url])
        assert.ok(!text.includes(secret), secret);
    }
  });
});
