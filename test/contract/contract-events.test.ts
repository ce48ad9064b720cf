/** The table of events of the interface document, typed in by hand, against what a subscriber of the running service receives. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { type Account, type RestClient, restClient } from '../support/client.js';
import { type Received, type Receiver, startReceiver } from '../support/network/receiver.js';
import { type Service, startService } from '../support/service.js';
import { describeInShapes } from '../support/rows/shapes.js';

const always = ['message_id', 'channel', 'recipient', 'status'];
/** The fields of `data` beside those that are always there and `metadata`. */
const fields: Record<string, string[]> = {
  'message.queued': ['credits_used'],
  'message.sent': ['credits_used', 'provider_message_id'],
  'message.delivered': ['provider_message_id', 'delivered_at'],
  'message.failed': ['provider_message_id', 'error_code', 'error_message'],
};
const isoDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** What is sent to whom, and the events that come of it. */
const lives: [what: string, message: object, events: string[]][] = [
  ['a delivered sms', { to: '+15551234567', metadata: { order: 7 } }, ['message.queued', 'message.sent', 'message.delivered']],
  ['a failed sms', { to: '+15005550006', metadata: { order: 8 } }, ['message.queued', 'message.sent', 'message.failed']],
  ['an e-mail without metadata', { to: 'ada@example.com', channel: 'email' }, ['message.queued', 'message.sent', 'message.delivered']],
  ['an sms with a reference', { to: '+15551234567', reference: 'order-1042' }, ['message.queued', 'message.sent', 'message.delivered']],
  ['a whatsapp message, which is read too', { channel: 'whatsapp' }, ['message.queued', 'message.sent', 'message.delivered']],
];

describeInShapes('the table of events', (env) => {
  let service: Service;
  let client: RestClient;
  let receiver: Receiver;
  let account: Account;
  let secret: string;
  before(async () => {
    service = await startService({ isHere: true, env });
    client = restClient(service.url);
    receiver = await startReceiver();
    account = await client.signUp();
    ({ secret } = await client.hook(account, receiver.url));
  });
  after(async () => {
    await receiver.close();
    await service.stop();
  });

  for (const [what, wanted, events] of lives) {
    it(`${what}: ${events.join(', ')}, with exactly their fields`, async () => {
      const earlier = receiver.received.length;
      const message = await client.send(account, wanted);
      const received = (await receiver.untilReceived(earlier + events.length)).slice(earlier);
      assert.deepEqual(
        received.map(({ body }) => JSON.parse(body).event),
        events,
      );
      for (const one of received) assertEvent(one, message, wanted);
    });
  }

  function assertEvent({ headers, body }: Received, message: { id: string; to: string; channel: string }, wanted: object): void {
    const { event, timestamp, data, ...more } = JSON.parse(body);
    assert.deepEqual(more, {});
    assert.match(timestamp, isoDate);
    const metadata = 'metadata' in wanted ? ['metadata'] : [];
    const reference = 'reference' in wanted ? ['reference'] : [];
    assert.deepEqual(Object.keys(data).toSorted(), [...always, ...(fields[event] ?? []), ...metadata, ...reference].toSorted());
    assert.deepEqual([data.message_id, data.channel, data.recipient], [message.id, message.channel, message.to]);
    if ('reference' in wanted) assert.equal(data.reference, wanted.reference);
    assert.equal(`message.${data.status}`, event);
    if (metadata.length > 0) assert.deepEqual(data.metadata, (wanted as { metadata: object }).metadata);
    if (event === 'message.delivered') assert.match(data.delivered_at, isoDate);
    if (event === 'message.failed') assert.deepEqual([data.error_code, data.error_message], ['30006', 'Landline or unreachable carrier']);
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['x-service-event'], event);
    assert.equal(headers['x-service-signature'], createHmac('sha256', secret).update(body).digest('hex'));
  }
});
