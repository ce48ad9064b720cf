/** openapi-fetch with the types of openapi-typescript: sends, reads, lists, and verifies a webhook. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import createClient from 'openapi-fetch';
import type { components, paths } from './tidings.js';

const { BASE = '', KEY = '', HOOK = '', INBOX = '', REFERENCE = '' } = process.env;
const client = createClient<paths>({ baseUrl: BASE, headers: { 'X-API-Key': KEY } });

const hook = await client.POST('/api/v1/webhooks', { body: { url: HOOK, events: ['message.delivered'] } });
assert.ok(hook.data);
const sent = await client.POST('/api/v1/messages/send', {
  params: { header: { 'Idempotency-Key': REFERENCE } },
  body: {
    to: '+15551234567',
    channel: 'sms',
    content: { text: 'Hello {{name}} from TypeScript' },
    variables: { name: 'Ada' },
    reference: REFERENCE,
  },
});
assert.ok(sent.data);
const message: components['schemas']['Message'] = sent.data.data.message;
assert.deepEqual([message.metadata, message.credits_used, message.content?.text], [null, 1, 'Hello Ada from TypeScript']);

const delivery = await fetch(`${INBOX}/${message.id}`);
const raw = Buffer.from(await delivery.arrayBuffer());
assert.equal(delivery.headers.get('x-service-signature'), createHmac('sha256', hook.data.data.secret).update(raw).digest('hex'));
const event = JSON.parse(raw.toString()) as components['schemas']['MessageDeliveredEvent'];
assert.deepEqual([event.data.message_id, event.data.reference], [message.id, REFERENCE]);

const found = await client.GET('/api/v1/messages/{id}', { params: { path: { id: message.id } } });
assert.equal(found.data?.data.message.status, 'delivered');
const page = await client.GET('/api/v1/messages', { params: { query: { reference: REFERENCE, limit: 10 } } });
assert.deepEqual(
  page.data?.data.messages.map(({ id }) => id),
  [message.id],
);
const { id } = hook.data.data.webhook;
const refused = await client.GET('/api/v1/messages/{id}', { params: { path: { id } } });
assert.equal(refused.error?.code, 'not_found');
await client.DELETE('/api/v1/webhooks/{id}', { params: { path: { id } } });
