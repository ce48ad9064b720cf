import assert from 'node:assert/strict';
import { type Account, bearer, type Json, type RestClient, restClient, until } from '../support/client.js';
import { rows } from '../support/database.js';
import { assertBooks } from '../support/invariants.js';
import { acknowledge, type Receiver, startReceiver } from '../support/receiver.js';
import { type Service, startService } from '../support/service.js';

describe('deliveries to an endpoint', () => {
  let service: Service;
  let client: RestClient;
  let receivers: Receiver[] = [];
  before(async () => {
    service = await startService({ env: { WEBHOOK_RETRY_DELAYS: '1,1,1' } });
    client = restClient(service.url);
  });
  afterEach(async () => {
    await Promise.all(receivers.map((receiver) => receiver.close()));
    receivers = [];
    await assertBooks(service.db);
  });
  after(() => service.stop());

  const receive = async (answer?: Receiver['answer']) => {
    const receiver = await startReceiver(answer);
    receivers.push(receiver);
    return receiver;
  };
  const hook = async ({ token }: Account, body: Json): Promise<string> => {
    const answer = await client.call('POST', '/api/v1/webhooks', { body, headers: bearer(token) });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.data.webhook.id;
  };
  const events = ['message.queued', 'message.sent', 'message.delivered'];

  it('that hangs delay no other endpoint, neither of the same messages nor of others', async () => {
    const [account, neighbour] = [await client.signUp(), await client.signUp()];
    const [hanging, healthy, theirs] = [await receive(() => undefined), await receive(), await receive()];
    for (const [owner, { url }] of [
      [account, hanging],
      [account, healthy],
      [neighbour, theirs],
    ] as const)
      await hook(owner, { url, events });
    const started = performance.now();
    await Promise.all([client.send(account), client.send(neighbour)]);
    await Promise.all([healthy.until(3), theirs.until(3)]);
    assert.ok(performance.now() - started < 8_000, 'a POST that hangs is given up after ten seconds');
    assert.equal(hanging.received.length, 1);
  });

  it('that wants order keep it when the worker dies between a POST and its record; what came twice is the same event', async () => {
    const account = await client.signUp();
    let isAnswering = true;
    const receiver = await receive((received, response, index) => {
      if (isAnswering) acknowledge(received, response, index);
    });
    const webhookId = await hook(account, { url: receiver.url, events: ['message.queued'], ordered: true });
    await client.send(account);
    await receiver.until(1);
    isAnswering = false;
    for (const text of ['b', 'c', 'd']) await client.send(account, { content: { text } });
    await receiver.until(2);
    await service.worker.kill();
    isAnswering = true;
    await service.worker.start();
    const statusOf = () =>
      rows<{ event_id: string; status: string }>(service.db, 'SELECT event_id, status FROM deliveries WHERE webhook_id = $1 ORDER BY id', [
        webhookId,
      ]);
    await until(async () => (await statusOf()).every(({ status }) => status === 'succeeded'), 'everything is acknowledged');
    const sent = (await statusOf()).map(({ event_id }) => event_id);
    const [first, second, ...later] = sent;
    assert.equal(sent.length, 4);
    assert.deepEqual(
      receiver.received.map(({ headers }) => headers['webhook-id']),
      [first, second, second, ...later],
    );
  });
});
