/** The client that openapi-generator makes for TypeScript: sends, reads, lists, and verifies a webhook. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import {
  Configuration,
  EventType,
  MessageDeliveredEventFromJSON,
  MessagesApi,
  MessageStatus,
  ResponseError,
  WebhooksApi,
} from './client/index.js';

const { BASE = '', KEY = '', HOOK = '', INBOX = '', REFERENCE = '' } = process.env;
const configuration = new Configuration({ basePath: BASE, apiKey: KEY });
const messages = new MessagesApi(configuration);
const webhooks = new WebhooksApi(configuration);

const hook = await webhooks.createWebhook({ createWebhookRequest: { url: HOOK, events: [EventType.MessageDelivered] } });
const sent = await messages.sendMessage({
  idempotencyKey: REFERENCE,
  sendMessageRequest: {
    to: '+15551234567',
    channel: 'sms',
    content: { text: 'Hello {{name}} from TypeScript' },
    variables: { name: 'Ada' },
    reference: REFERENCE,
  },
});
const { id, metadata, creditsUsed, content } = sent.data.message;
assert.deepEqual([metadata, creditsUsed, content?.text], [null, 1, 'Hello Ada from TypeScript']);

const delivery = await fetch(`${INBOX}/${id}`);
const raw = Buffer.from(await delivery.arrayBuffer());
assert.equal(delivery.headers.get('x-service-signature'), createHmac('sha256', hook.data.secret).update(raw).digest('hex'));
const event = MessageDeliveredEventFromJSON(JSON.parse(raw.toString()));
assert.deepEqual([event.data.messageId, event.data.reference], [id, REFERENCE]);

assert.equal((await messages.getMessage({ id })).data.message.status, MessageStatus.Delivered);
const page = await messages.listMessages({ reference: REFERENCE, limit: 10 });
assert.deepEqual(
  page.data.messages.map((message) => [message.id, message.deliveredAt instanceof Date]),
  [[id, true]],
);
await assert.rejects(
  messages.getMessage({ id: hook.data.webhook.id }),
  (error) => error instanceof ResponseError && error.response.status === 404,
);
await webhooks.deleteWebhook({ id: hook.data.webhook.id });
