import assert from 'node:assert/strict';
import { endpoints } from '../../../api/endpoints/index.js';
import { bearer, restClient, until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { scrape, type Series, sumOf } from '../../support/metrics-page.js';
import { freePort } from '../../support/network/free-port.js';
import { type Receiver, startReceiver } from '../../support/network/receiver.js';
import { listLoadedModules } from '../../support/parts/loaded-modules.js';
import { type Service, startService } from '../../support/service.js';
import { buildWorkspaces, callEach, readBalances, recipient, sendFromEach, together, usedWorkflows, useEach } from './use-everything.js';

const sampledByClient = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
/** docs/observability/metrics.md says this number. */
const seriesMax = 2_000;

/** Workspaces, and how many of them send: both are more than the series that may be new. */
const many = 400;
const sending = 160;
const names = (series: Series) => new Set(series.keys());

describe('metrics', () => {
  let service: Service;
  let receiver: Receiver;
  let api: number;
  let worker: number;
  const loaded = listLoadedModules();
  before(async () => {
    [api, worker, receiver] = await Promise.all([freePort(), freePort(), startReceiver()]);
    service = await startService({
      env: loaded.env,
      apiEnv: { METRICS_PORT: String(api) },
      workerEnv: { METRICS_PORT: String(worker - 1) },
    });
  });
  after(async () => {
    await service.stop();
    await receiver.close();
    loaded.remove();
  });

  const allDelivered = async () =>
    until(async () => {
      const others = await rows(service.db, `SELECT 1 FROM messages WHERE status <> 'delivered'`);
      return others.length === 0;
    }, 'all messages are delivered');

  it('metrics count the way of a message: accept, hand-off, reports, delivery, webhook', async () => {
    const client = restClient(service.url);
    const { text: atStart } = await scrape(worker);
    assert.match(atStart, /^tidings_handoffs_total\{channel="sms",account="sandbox",outcome="handoff_unknown"\} 0$/m);
    const account = await client.signUp();
    const hook = { url: receiver.url, events: ['message.delivered'] };
    assert.equal((await client.call('POST', '/api/v1/webhooks', { body: hook, headers: bearer(account.token) })).status, 201);
    await client.send(account, {}, { traceparent: sampledByClient });
    await receiver.untilReceived(1);
    await allDelivered();
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
    assert.ok((series.get('tidings_webhooks{state="active"}') ?? 2) <= 1, 'the watcher may have counted them before the test made one');
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
      assert.ok(sumOf(series, 'tidings_database_statement_seconds_count') > 0);
    }
    const isWaiting = async (port: number) => (await scrape(port)).series.get('tidings_database_pool_waiting') !== 0;
    for (const port of [api, worker]) await until(async () => !(await isWaiting(port)), 'nothing waits for a connection');
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

  it('metrics have no further series for hundreds of workspaces, and name nobody', async () => {
    const workspaces = await buildWorkspaces(service, many, sending);
    const keys = workspaces.map(([, key]) => key);
    await readBalances(service.url, keys.slice(0, 1));
    await sendFromEach(service.url, keys.slice(0, together)); // the first messages that share a workflow bring the series of its type
    await allDelivered();
    const before = [names((await scrape(api)).series), names((await scrape(worker)).series)];
    await sendFromEach(service.url, keys.slice(together, sending));
    await readBalances(service.url, keys.slice(sending));
    await allDelivered();
    const pages = [await scrape(api), await scrape(worker)];
    for (const [at, { series, text }] of pages.entries()) {
      const added = [...names(series)].filter((name) => before[at]?.has(name) !== true);
      assert.ok(added.length < 100, added.join('\n'));
      for (const secret of [...workspaces.flatMap(([{ id }, key]) => [id, key]), recipient, receiver.url])
        assert.ok(!text.includes(secret), secret);
    }
  });

  it('the metrics port serves its pages and nothing else', async () => {
    const statusOf = async (path: string, method = 'GET') => (await fetch(`http://127.0.0.1:${api}${path}`, { method })).status;
    assert.deepEqual([await statusOf('/live'), await statusOf('/other'), await statusOf('/metrics', 'POST')], [200, 404, 405]);
  });

  it('an installation in which everything was used has no more series than its document says', async () => {
    const account = await restClient(service.url).signUp();
    await useEach(service.url, account, receiver);
    await callEach(service.url, account);
    let lacking: string[] = [];
    await until(
      async () => {
        const { text } = await scrape(worker);
        lacking = usedWorkflows.filter((type) => !text.includes(`workflow_type="${type}"`));
        return lacking.length === 0;
      },
      () => `the worker shows ${lacking.join(', ')}`,
    );
    const pages = [await scrape(api), await scrape(worker)];
    const counts = pages.map(({ series }) => series.size);
    const called = new Set(
      [...(pages[0]?.text ?? '').matchAll(/http_request_seconds_count\{operation="([^"]+)"/g)].map(([, name]) => name),
    );
    assert.ok(called.size > 0.9 * endpoints.length, `only ${called.size} operations were called`);
    const all = counts.reduce((sum, count) => sum + count, 0);
    assert.ok(all <= seriesMax, `${all} series: API and worker ${counts.join(', ')}`);
  });

  it('a service without an endpoint for traces has loaded no tracing when it ends, and sent no trace headers to receivers', async () => {
    await Promise.all([service.api.stop(), service.worker.stop()]);
    const threads = loaded.ofThreads();
    assert.ok(threads.length >= 3, 'the API, and two threads of the worker');
    // The library of the metrics brings the interface, which does nothing by itself.
    assert.deepEqual(new Set(threads.flat()), new Set(['@opentelemetry/api']));
    assert.ok(receiver.received.length > 0 && receiver.received.every(({ headers }) => headers.traceparent === undefined));
  });
});
