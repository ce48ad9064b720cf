/** How many series an installation has when everything in it was used: Prometheus pays for each of them. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { endpoints } from '../../../api/endpoints/index.js';
import { freePort } from '../../support/network/free-port.js';
import { workflowTypes } from '../../../workflows/contract.js';
import { type Account, bearer, restClient, until } from '../../support/client.js';
import { scrape } from '../../support/metrics-page.js';
import { type Receiver, startReceiver } from '../../support/network/receiver.js';
import { type Service, startService } from '../../support/service.js';

/** docs/observability/metrics.md says this number. */
const seriesMax = 2_000;

/** Types of workflows that no request starts: after a restore, for reports that come late, and with WEBHOOK_FIRST_ATTEMPT=child. */
const rare: string[] = [
  workflowTypes.askRestored,
  workflowTypes.applyLateReports,
  workflowTypes.deliverWebhook,
  workflowTypes.startDeliveries,
];

describe('series of an installation', () => {
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

  /** Each operation with both credentials and without one: the answers are of two classes for many of them. */
  async function callEach({ apiKey, token }: Account): Promise<void> {
    const ask = async (method: string, path: string, headers: Record<string, string>) => {
      const answer = await fetch(service.url + path.replaceAll(/:\w+/g, randomUUID()), { method: method.toUpperCase(), headers });
      await answer.body?.cancel();
    };
    for (const { method, path } of endpoints) {
      await ask(method, path, {});
      if (method === 'get') for (const headers of [{ 'X-API-Key': apiKey }, bearer(token)]) await ask(method, path, headers);
    }
  }

  /** Sends of each kind to a webhook that acknowledges them and then does not, so that each type of workflow runs. */
  async function useEach(account: Account): Promise<void> {
    const client = restClient(service.url);
    const { id } = await client.hook(account, receiver.url);
    const onWebhook = async (path: string, body: object) =>
      assert.ok((await client.call('POST', `/api/v1/webhooks/${id}/${path}`, { body, headers: bearer(account.token) })).status < 300);
    const email = { to: 'a@example.test', channel: 'email', content: { subject: 'x', text: 'x' } };
    const fallback = [{ channel: 'sms', after: 120, to: '+15551234567' }];
    const sent = await Promise.all([
      client.send(account),
      client.send(account, email),
      client.send(account, { channel: 'whatsapp', to: '+15005550006', fallback }),
      client.send(account, { channel: 'whatsapp' }),
    ]);
    for (const message of sent)
      await client.messageUntil(account, message.id, ({ status }) => ['delivered', 'failed', 'read'].includes(status));
    await onWebhook('test', {});
    await onWebhook('replay', { since: new Date(0).toISOString(), status: 'succeeded' });
    const bulk = { channel: 'sms', recipients: [{ to: '+15551234567' }], content: { text: 'x' } };
    const headers = { 'X-API-Key': account.apiKey };
    assert.ok((await client.call('POST', '/api/v1/messages/bulk', { body: bulk, headers })).status < 300);
    receiver.answer = (_received, response) => response.writeHead(500).end();
    await client.send(account);
  }

  it('an installation in which everything was used has no more series than its document says', async () => {
    const account = await restClient(service.url).signUp();
    await useEach(account);
    await callEach(account);
    const wanted = Object.values(workflowTypes).filter((type) => !rare.includes(type));
    const missing = async () => {
      const { text } = await scrape(worker);
      return wanted.filter((type) => !text.includes(`workflow_type="${type}"`));
    };
    let lacking: string[] = wanted;
    await until(
      async () => (lacking = await missing()).length === 0,
      () => `the worker shows ${lacking.join(', ')}`,
    );
    const pages = [await scrape(api), await scrape(worker)];
    const counts = pages.map(({ series }) => series.size);
    const operations = new Set(
      [...(pages[0]?.text ?? '').matchAll(/http_request_seconds_count\{operation="([^"]+)"/g)].map(([, name]) => name),
    );
    assert.ok(operations.size > 0.9 * endpoints.length, `only ${operations.size} operations were called`);
    const all = counts.reduce((sum, count) => sum + count, 0);
    assert.ok(all <= seriesMax, `${all} series: API and worker ${counts.join(', ')}`);
  });
});
