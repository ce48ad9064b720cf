import assert from 'node:assert/strict';
import {
  testEventBody,
  eventBody,
  eventDescriptions,
  type EventSubject,
  type EventType,
  eventTypes,
} from '../../../../models/rules/webhooks/events.js';

const at = new Date('2027-01-01T00:00:00.123Z');
const message: EventSubject = {
  id: '01890000-0000-7000-8000-000000000001',
  channel: 'sms',
  to: '+15551234567',
  reference: null,
  batch_id: null,
  metadata: null,
  credits_used: 1_500,
  provider_message_id: 'SM1',
  error_code: '30006',
  error_message: 'Landline or unreachable carrier',
  delivered_at: new Date('2027-01-01T00:00:05.000Z'),
};
/** docs/contract/webhooks.md, Payload: by hand. */
const always = { message_id: message.id, channel: 'sms', recipient: '+15551234567' };
const payloads: Record<EventType, object> = {
  'message.queued': { ...always, status: 'queued', credits_used: 1.5 },
  'message.sent': { ...always, status: 'sent', credits_used: 1.5, provider_message_id: 'SM1' },
  'message.delivered': { ...always, status: 'delivered', provider_message_id: 'SM1', delivered_at: '2027-01-01T00:00:05.000Z' },
  'message.failed': {
    ...always,
    status: 'failed',
    provider_message_id: 'SM1',
    error_code: '30006',
    error_message: 'Landline or unreachable carrier',
  },
};

describe('eventBody', () => {
  for (const [type, data] of Object.entries(payloads) as [EventType, object][]) {
    it(`${type} has exactly the fields of the contract`, () => {
      assert.deepEqual(JSON.parse(eventBody(type, message, at)), { event: type, timestamp: '2027-01-01T00:00:00.123Z', data });
    });

    it(`${type} contains the given metadata unchanged`, () => {
      const metadata = JSON.parse('{"zulu":1,"alpha":{"b":[null,true,0.1,"ü😀\\u2028"],"a":""},"__proto__":{"x":1}}') as Record<
        string,
        unknown
      >;
      const body = eventBody(type, { ...message, metadata }, at);
      assert.ok(body.includes('"metadata":{"zulu":1,"alpha":{"b":[null,true,0.1,"ü😀\u2028"],"a":""},"__proto__":{"x":1}}'));
      assert.deepEqual(JSON.parse(eventBody(type, { ...message, metadata: {} }, at)).data.metadata, {});
    });
  }

  for (const type of eventTypes) {
    it(`an event ${type} has the reference and the batch of its message, if there are any`, () => {
      const own = { reference: 'order-1042', batch_id: '01890000-0000-7000-8000-000000000002' };
      assert.deepEqual(JSON.parse(eventBody(type, { ...message, ...own }, at)).data, { ...payloads[type], ...own });
    });
  }

  it('message.failed has no provider id without one', () => {
    assert.ok(!('provider_message_id' in JSON.parse(eventBody('message.failed', { ...message, provider_message_id: null }, at)).data));
  });

  for (const type of ['message.sent', 'message.delivered'] as const) {
    it(`an event ${type} always has a provider id, which is empty if there is none`, () => {
      assert.equal(JSON.parse(eventBody(type, { ...message, provider_message_id: null }, at)).data.provider_message_id, '');
    });
  }

  it('an event names no recipient that was erased, and no time of delivery without one', () => {
    const { data } = JSON.parse(eventBody('message.delivered', { ...message, to: `#${'0a'.repeat(32)}`, delivered_at: null }, at));
    assert.deepEqual([data.recipient, 'delivered_at' in data], ['', false]);
  });

  it('the event of a test has the envelope of the others', () => {
    assert.equal(testEventBody('w1', at), '{"event":"webhook.test","timestamp":"2027-01-01T00:00:00.123Z","data":{"webhook_id":"w1"}}');
  });

  it('an event has credits without trailing zeros', () => {
    assert.ok(
      eventBody('message.queued', { ...message, credits_used: 100 }, at).includes('"credits_used":0.1,') ||
        eventBody('message.queued', { ...message, credits_used: 100 }, at).includes('"credits_used":0.1}'),
    );
  });

  it('each event type is described by a sentence', () => {
    for (const type of eventTypes) assert.match(eventDescriptions[type], /^[A-Z].*\.$/);
  });
});
