import assert from 'node:assert/strict';
import { type Account, type Json, type RestClient, restClient, until } from '../support/client.js';
import { rows } from '../support/database.js';
import { assertBooks } from '../../harness/checks/invariants.js';
import { acknowledge, answerWith, type Receiver, startReceiver } from '../support/network/receiver.js';
import { type Service, startService } from '../support/service.js';
import { literalShape } from '../support/rows/shapes.js';

const events = ['message.queued', 'message.sent', 'message.delivered'];

describe('a service in which each message and each event has a workflow of its own', () => {
  let service: Service;
  let client: RestClient;
  let account: Account;
  let receiver: Receiver;
  before(async () => {
    service = await startService({ isHere: true, env: { ...literalShape, WEBHOOK_RETRY_DELAYS: '1,1,1', SANDBOX_DELAY_MS: '20' } });
    client = restClient(service.url);
  });
  beforeEach(async () => {
    account = await client.signUp();
    receiver = await startReceiver();
    await client.hook(account, receiver.url);
  });
  afterEach(async () => {
    await receiver.close();
    await assertBooks(service.db);
  });
  after(() => service.stop());

  const delivered = (id: string) => client.messageUntil(account, id, ({ status }) => status === 'delivered');
  /** Without the repeats of a delivery. Deliveries are made at least once: on a busy machine an attempt may be made again. */
  const toldOnce = (id: string) =>
    [...new Map(receiver.received.map(({ headers, body }) => [headers['webhook-id'], body])).values()]
      .map((body) => JSON.parse(body))
      .filter(({ data }: Json) => data.message_id === id)
      .map(({ event }: Json) => event);
  const untilAcknowledged = (count: number) =>
    until(async () => {
      const [row] = await rows<{ count: number }>(
        service.db,
        `SELECT count(*) FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE w.workspace_id = $1 AND d.status = 'succeeded'`,
        [account.workspaceId],
      );
      return row?.count === count;
    }, `${count} deliveries are acknowledged`);
  const handedOffTwice = () => rows(service.db, 'SELECT 1 FROM sandbox_messages WHERE calls > 1');

  it('every message and every event has a workflow of its own, with events in order', async () => {
    const sent = await Promise.all(Array.from({ length: 6 }, () => client.send(account)));
    await Promise.all(sent.map(({ id }) => delivered(id)));
    await untilAcknowledged(sent.length * events.length);
    for (const { id } of sent) assert.deepEqual(toldOnce(id), events);
    const names = await rows<{ workflow_id: string }>(
      service.db,
      `SELECT 'msg:' || id AS workflow_id FROM messages WHERE workspace_id = $1
       UNION ALL SELECT 'wh:' || d.id FROM deliveries d JOIN messages m ON m.id = d.message_id WHERE m.workspace_id = $1`,
      [account.workspaceId],
    );
    assert.equal(names.length, sent.length * (1 + events.length));
    for (const { workflow_id } of names) await service.temporal.client.workflow.getHandle(workflow_id).describe();
  });

  it('a message in a workflow of its own is sent once when the worker is killed, and its events keep their ids', async () => {
    const doomed = await service.workerToKill();
    let isAnswering = false;
    receiver.answer = (received, response, index) => {
      if (isAnswering) acknowledge(received, response, index);
    };
    const { id } = await client.send(account);
    await receiver.untilReceived(1);
    await doomed.kill();
    isAnswering = true;
    await service.worker.start();
    await delivered(id);
    await untilAcknowledged(events.length);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    assert.deepEqual([new Set(ids).size, ids[0] === ids[1]], [events.length, true]);
    assert.deepEqual(toldOnce(id), events);
    assert.deepEqual(await handedOffTwice(), []);
  });

  it('an event in a workflow of its own is retried until it is acknowledged', async () => {
    receiver.answer = (received, response, index) => (index < 2 ? answerWith(503) : acknowledge)(received, response, index);
    const { id } = await client.send(account);
    await delivered(id);
    await untilAcknowledged(events.length);
    assert.equal(receiver.received.length, events.length + 2);
  });

  it('a message in a workflow of its own is sent on the next channel, with events of both messages', async () => {
    const fallback = [{ channel: 'sms', to: '+15551230001', after: 60 }];
    const { id } = await client.send(account, { channel: 'whatsapp', to: '+15005550007', fallback });
    const first = await client.messageUntil(account, id, (message) => message.fallback?.outcome === 'sent');
    await delivered(first.fallback.message_id);
    await untilAcknowledged(3 + events.length);
    assert.deepEqual(toldOnce(id), ['message.queued', 'message.sent', 'message.failed']);
    assert.deepEqual(toldOnce(first.fallback.message_id), events);
  });

  it('a batch with a workflow for each event is sent page by page, with events in order', async () => {
    const recipients = Array.from({ length: 12 }, (_, index) => ({ to: `+1555300${String(index).padStart(4, '0')}` }));
    const { status, body } = await client.call('POST', '/api/v1/messages/bulk', {
      body: { channel: 'sms', content: { text: 'Hello' }, recipients },
      headers: { 'X-API-Key': account.apiKey },
    });
    assert.equal(status, 201, JSON.stringify(body));
    await untilAcknowledged(recipients.length * events.length);
    const ids = new Set(receiver.received.map((one) => JSON.parse(one.body).data.message_id as string));
    assert.equal(ids.size, recipients.length);
    for (const id of ids) assert.deepEqual(toldOnce(id), events);
    assert.deepEqual(await handedOffTwice(), []);
  });
});
