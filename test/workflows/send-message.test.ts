import assert from 'node:assert/strict';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { createHmac } from 'node:crypto';
import { type RestClient, restClient, until } from '../support/client.js';
import { rows } from '../support/database.js';
import { assertBooks } from '../../harness/checks/invariants.js';
import { workflowIds } from '../../workflows/contract.js';
import { answerWith, type Received, startReceiver } from '../support/network/receiver.js';
import { type Service, startService } from '../support/service.js';
import { eventCount } from '../support/temporal/histories.js';
import { prices } from '../support/prices.js';
import { toCredits } from '../../models/rules/billing/credits.js';

const price = toCredits(prices.sms);

describe('the workflow of a message', () => {
  let service: Service;
  let client: RestClient;
  before(async () => {
    service = await startService({ isHere: true, env: { WEBHOOK_RETRY_DELAYS: '0.2,0.2', REPORT_TIMEOUT_SMS: '6' } });
    client = restClient(service.url);
  });
  afterEach(() => assertBooks(service.db));
  after(() => service.stop());

  it('a message moves from queued to sent to delivered in at most 21 history events', async () => {
    const account = await client.signUp();
    const sent = await client.send(account);
    assert.equal(sent.status, 'queued');
    const message = await client.messageUntil(account, sent.id, ({ status }) => status === 'delivered');
    assert.equal(message.status_detail, 'delivered');
    assert.ok(message.sent_at <= message.delivered_at);
    assert.equal(message.credits_used, price);
    // 16 when the report comes before the hand-off's task is completed.
    assert.ok((await eventCount(service.temporal, `msg:${sent.id}`)) <= 21);
  });

  it('the three events of a message are delivered signed and in order', async () => {
    const receiver = await startReceiver();
    const account = await client.signUp();
    const { secret } = await client.hook(account, receiver.url);
    const sent = await client.send(account, { metadata: { order: 7 } });
    const events = await receiver.untilReceived(3);
    assert.deepEqual(
      events.map(({ body }) => JSON.parse(body).event),
      ['message.queued', 'message.sent', 'message.delivered'],
    );
    for (const event of events) verify(secret, event);
    const data = events.map(({ body }) => JSON.parse(body).data);
    for (const { message_id, metadata } of data) assert.deepEqual([message_id, metadata], [sent.id, { order: 7 }]);
    await receiver.close();
  });

  const outcomes = [
    ['+15005550001', 'failed', 'rejected', '30008', 0],
    ['+15005550002', 'sent', 'unknown', null, price],
    ['+15005550003', 'delivered', 'delivered', null, price],
    ['+15005550005', 'delivered', 'delivered', null, price],
    ['+15005550006', 'failed', 'undeliverable', '30006', price],
    ['+15005550007', 'failed', 'undeliverable', '30007', price],
    ['+15005550008', 'failed', 'undeliverable', '30008', price],
    ['+15005550034', 'failed', 'undeliverable', '30034', price],
  ] as const;
  for (const [to, status, detail, code, credits] of outcomes) {
    it(`a message to ${to} ends ${status} (${detail}) with code ${code} and ${credits} credits`, async () => {
      const account = await client.signUp();
      const { id } = await client.send(account, { to });
      const message = await client.messageUntil(account, id, ({ status_detail }) => status_detail === detail);
      assert.deepEqual([message.status, message.error_code, message.credits_used], [status, code, credits]);
      await until(
        async () => (await service.temporal.client.workflow.getHandle(`msg:${id}`).describe()).status.name === 'COMPLETED',
        'the workflow completes',
      );
    });
  }

  it('a WhatsApp message moves to read without a new workflow', async () => {
    const account = await client.signUp();
    const { id } = await client.send(account, { channel: 'whatsapp' });
    const message = await client.messageUntil(account, id, ({ status }) => status === 'read');
    assert.ok(message.delivered_at <= message.read_at);
    assert.ok((await eventCount(service.temporal, `msg:${id}`)) <= 21);
    await assert.rejects(service.temporal.client.workflow.getHandle(`late:${id}`).describe(), { name: 'WorkflowNotFoundError' });
  });

  it('a scheduled message that is cancelled is refunded, with message.failed', async () => {
    const receiver = await startReceiver();
    const account = await client.signUp();
    await client.hook(account, receiver.url);
    const sent = await client.send(account, { scheduled_at: new Date(Date.now() + 3_600_000).toISOString() });
    assert.equal(sent.status_detail, 'scheduled');
    const cancelled = await client.call('POST', `/api/v1/messages/${sent.id}/cancel`, { headers: { 'X-API-Key': account.apiKey } });
    assert.deepEqual(
      [cancelled.status, cancelled.body.data.message.status_detail, cancelled.body.data.message.credits_used],
      [200, 'cancelled', 0],
    );
    const events = await receiver.untilReceived(2);
    assert.deepEqual(
      events.map(({ body }) => JSON.parse(body).event),
      ['message.queued', 'message.failed'],
    );
    assert.equal(JSON.parse(events[1]?.body ?? '').data.error_code, 'cancelled');
    await until(
      async () => (await service.temporal.client.workflow.getHandle(`msg:${sent.id}`).describe()).status.name === 'COMPLETED',
      'the workflow completes',
    );
    await receiver.close();
  });

  it('a scheduled message is sent at its time', async () => {
    const account = await client.signUp();
    const at = Date.now() + 1_500;
    const { id } = await client.send(account, { scheduled_at: new Date(at).toISOString() });
    const message = await client.messageUntil(account, id, ({ status }) => status === 'delivered');
    assert.ok(Date.parse(message.sent_at) >= at - 50, `${message.sent_at} is not before ${new Date(at).toISOString()}`);
  });

  it('an event is delivered after two failures with the same id and bytes', async () => {
    const receiver = await startReceiver((received, response, index) =>
      index < 2 ? answerWith(503)(received, response, index) : response.writeHead(200).end(),
    );
    const account = await client.signUp();
    const hook = await client.hook(account, receiver.url, ['message.queued']);
    await client.send(account);
    const attempts = await receiver.untilReceived(3);
    assert.equal(new Set(attempts.map(({ headers }) => headers['webhook-id'])).size, 1);
    assert.equal(new Set(attempts.map(({ body }) => body)).size, 1);
    await until(
      async () =>
        (await rows(service.db, `SELECT 1 FROM deliveries WHERE webhook_id = $1 AND status = 'succeeded'`, [hook.id])).length === 1,
      'the delivery succeeds',
    );
    const [delivery] = await rows<{ id: string }>(service.db, 'SELECT id FROM deliveries WHERE webhook_id = $1', [hook.id]);
    assert.equal((await rows(service.db, 'SELECT 1 FROM delivery_attempts WHERE delivery_id = $1', [delivery?.id])).length, 3);
    assert.equal(await eventCount(service.temporal, workflowIds.retrier(hook.id)), 11);
    await receiver.close();
  });

  function verify(secret: string, { headers, body }: Received): void {
    assert.equal(headers['x-service-signature'], createHmac('sha256', secret).update(body).digest('hex'));
    assert.equal(headers['x-service-event'], JSON.parse(body).event);
    new StandardWebhook(secret).verify(body, headers as Record<string, string>);
  }
});
