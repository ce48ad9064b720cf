import assert from 'node:assert/strict';
import { type Account, bearer, type Json, type RestClient, restClient, until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { acknowledge, answerWith, type Receiver, startReceiver } from '../../support/network/receiver.js';
import { type Service, startService } from '../../support/service.js';
import { shiftedEnv } from '../../support/shift-clock.js';

describe('deliveries to an endpoint', () => {
  let service: Service;
  let client: RestClient;
  let receivers: Receiver[] = [];
  before(async () => {
    service = await startService({ isHere: true, env: { WEBHOOK_RETRY_DELAYS: '1,1,1' } });
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
  const statusOf = (webhookId: string) =>
    rows<{ event_id: string; status: string }>(service.db, 'SELECT event_id, status FROM deliveries WHERE webhook_id = $1 ORDER BY seq', [
      webhookId,
    ]);
  const attemptsOf = (webhookId: string) =>
    rows(service.db, 'SELECT 1 FROM delivery_attempts a JOIN deliveries d ON d.id = a.delivery_id WHERE webhook_id = $1', [webhookId]);
  const waitsUntil = async (webhookId: string, column = 'resume_at') => {
    const [row] = await rows<{ at: Date | null }>(service.db, `SELECT ${column} AS at FROM webhooks WHERE id = $1`, [webhookId]);
    return row?.at?.getTime() ?? null;
  };
  const events = ['message.queued', 'message.sent', 'message.delivered'];
  /** What the sandbox had not planned to report. */
  const report = `
    INSERT INTO sandbox_reports (sandbox_id, status, due_at)
    SELECT id, 'delivered', now() FROM sandbox_messages WHERE idempotency_key = ANY($1::uuid[])`;

  it('an endpoint that hangs delays no other endpoint', async () => {
    const [account, neighbour] = [await client.signUp(), await client.signUp()];
    const [hanging, healthy, theirs] = [await receive(() => undefined), await receive(), await receive()];
    const hangingId = await hook(account, { url: hanging.url, events });
    await hook(account, { url: healthy.url, events });
    await hook(neighbour, { url: theirs.url, events });
    await Promise.all([client.send(account), client.send(neighbour)]);
    await Promise.all([healthy.untilReceived(3), theirs.untilReceived(3)]);
    assert.deepEqual(await attemptsOf(hangingId), [], 'its first POST still hangs: it is given up after ten seconds');
    assert.equal(hanging.received.length, 1);
  });

  it('each event of a batch is delivered once when many webhooks subscribe', async () => {
    const account = await client.signUp();
    const subscribers = await Promise.all(Array.from({ length: 4 }, () => receive()));
    const hanging = await receive(() => undefined);
    for (const { url } of [hanging, ...subscribers]) await hook(account, { url, events });
    const recipients = Array.from({ length: 10 }, (_, index) => ({ to: `+1555300${String(index).padStart(4, '0')}` }));
    const { status } = await client.call('POST', '/api/v1/messages/bulk', {
      body: { channel: 'sms', content: { text: 'Hello' }, recipients },
      headers: { 'X-API-Key': account.apiKey },
    });
    assert.equal(status, 201);
    const expected = recipients.length * events.length;
    await Promise.all(subscribers.map((subscriber) => subscriber.untilReceived(expected)));
    for (const { received } of subscribers) {
      assert.equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, expected);
      assert.equal(received.length, expected);
    }
  });

  it('deliveries are sent at once to a new URL after a pause of an hour', async () => {
    const account = await client.signUp();
    const [busy, other] = [await receive(answerWith(503, { 'Retry-After': '3600' })), await receive()];
    const webhookId = await hook(account, { url: busy.url, events: ['message.queued'] });
    await client.send(account);
    await until(async () => (await waitsUntil(webhookId)) !== null, 'the pause is noted');
    await client.send(account);
    await until(async () => ((await waitsUntil(webhookId, 'carrier_looks_at')) ?? 0) > Date.now() + 3_000_000, 'its retrier sleeps');
    const { status } = await client.call('PUT', `/api/v1/webhooks/${webhookId}`, {
      body: { url: other.url },
      headers: bearer(account.token),
    });
    assert.equal(status, 200);
    await other.untilReceived(1);
    assert.equal(busy.received.length, 1);
  });

  it('deliveries keep their order with a worker whose clock is half a minute behind', async () => {
    const account = await client.signUp();
    const receiver = await receive(answerWith(503));
    const webhookId = await hook(account, { url: receiver.url, events, ordered: true, retry_delays: Array(20).fill(1) });
    const behind = service.anotherWorker(shiftedEnv(-30_000));
    const started = behind.start();
    const silent = { to: '+15005550002' };
    const sent = await Promise.all([silent, silent, silent].map((message) => client.send(account, message)));
    await Promise.all(sent.map(({ id }) => client.messageUntil(account, id, ({ status }) => status === 'sent')));
    await started;
    await service.worker.stop();
    await rows(service.db, report, [sent.map(({ id }) => id)]);
    await Promise.all(sent.map(({ id }) => client.messageUntil(account, id, ({ status }) => status === 'delivered')));
    receiver.received.splice(0);
    receiver.answer = acknowledge;
    await until(async () => (await statusOf(webhookId)).every(({ status }) => status === 'succeeded'), 'everything is acknowledged');
    const told = receiver.received.map(({ body }) => JSON.parse(body));
    for (const { id } of sent) {
      const ofMessage = told.filter(({ data }) => data.message_id === id);
      assert.deepEqual(
        ofMessage.map(({ event }) => event),
        events,
      );
      const times = ofMessage.map(({ timestamp }) => Date.parse(timestamp));
      assert.deepEqual(
        times,
        times.toSorted((one, other) => one - other),
      );
    }
    await Promise.all([behind.stop(), service.worker.start()]);
  });

  describe('whose worker dies after a POST', () => {
    let [plain, ordered] = [{} as Receiver, {} as Receiver];
    let [plainId, orderedId] = ['', ''];
    before(async () => {
      const doomed = await service.workerToKill();
      let isAnswering = true;
      const answer: Receiver['answer'] = (...args) => isAnswering && acknowledge(...args);
      [plain, ordered] = await Promise.all([receive(answer), receive(answer)]);
      const [account, other] = [await client.signUp(), await client.signUp()];
      plainId = await hook(account, { url: plain.url, events: ['message.queued'] });
      orderedId = await hook(other, { url: ordered.url, events: ['message.queued'], ordered: true });
      await client.send(other);
      await ordered.untilReceived(1);
      isAnswering = false;
      for (const text of ['b', 'c', 'd']) await client.send(other, { content: { text } });
      await client.send(account);
      await Promise.all([plain.untilReceived(1), ordered.untilReceived(2)]);
      await doomed.kill();
      isAnswering = true;
      await service.worker.start();
      const all = async () => [...(await statusOf(plainId)), ...(await statusOf(orderedId))];
      await until(async () => (await all()).every(({ status }) => status === 'succeeded'), 'everything is acknowledged');
    });

    it('an event is delivered twice with the same id when the worker dies after the POST', async () => {
      const [{ event_id: sent } = {}] = await statusOf(plainId);
      assert.deepEqual(
        plain.received.map(({ headers }) => headers['webhook-id']),
        [sent, sent],
      );
      assert.equal((await attemptsOf(plainId)).length, 1);
    });

    it('deliveries keep their order when the worker dies after a POST', async () => {
      const sent = (await statusOf(orderedId)).map(({ event_id }) => event_id);
      const [first, second, ...later] = sent;
      assert.equal(sent.length, 4);
      assert.deepEqual(
        ordered.received.map(({ headers }) => headers['webhook-id']),
        [first, second, second, ...later],
      );
    });
  });
});
