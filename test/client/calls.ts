/** Right calls, which compile and work, and wrong ones, which do not compile: an expected error that is none fails the compilation. */
import { createClient, type Credential } from './client.js';

/** Sends, reads and lists; returns what a test can look at. */
export async function rightCalls(baseUrl: string, credential: Required<Credential>) {
  const withKey = createClient(baseUrl, { apiKey: credential.apiKey });
  const withToken = createClient(baseUrl, { token: credential.token });
  const { message } = await withKey('post', '/api/v1/messages/send', {
    header: { 'Idempotency-Key': 'order-1042' },
    body: { to: '+15551234567', channel: 'sms', content: { text: 'Hello' }, metadata: { order: 1042, tags: ['a', 'b'] } },
  });
  const found = await withKey('get', '/api/v1/messages/{id}', { path: { id: message.id } });
  const list = await withKey('get', '/api/v1/messages', { query: { status: 'queued', limit: 10 } });
  const { batch } = await withKey('post', '/api/v1/messages/bulk', {
    body: { channel: 'email', content: { text: 'Hello {{ name }}' }, recipients: [{ to: 'ada@example.com', variables: { name: 'Ada' } }] },
  });
  const { contact } = await withToken('post', '/api/v1/contacts', {
    body: { email: 'ada@example.com', tags: ['customers'], custom_fields: { language: 'en' } },
  });
  const toContact = await withKey('post', '/api/v1/messages/send', {
    body: { contact_id: contact.id, channel: 'email', content: { text: 'Hello', subject: 'Greetings' } },
  });
  await withKey('post', '/api/v1/messages/preview', {
    body: { channel: 'email', content: { text: 'Hello' }, recipients: [{ contact_id: contact.id }, 'bob@example.com'] },
  });
  await withKey('post', '/api/v1/messages/bulk', { body: { channel: 'email', content: { text: 'Hello' }, tag: 'customers' } });
  await withKey('post', '/api/v1/messages/preview', {
    body: {
      to: '+15551234567',
      channel: 'whatsapp',
      content: {
        text: 'Hello',
        template: {
          name: 'ticket',
          language: 'en',
          header: { type: 'image', link: 'https://example.com/ticket.png' },
          buttons: [{ index: 0, type: 'quick_reply', payload: 'thanks' }],
        },
      },
    },
  });
  const status: 'queued' | 'sent' | 'delivered' | 'failed' | 'read' = found.message.status;
  const credits: number[] = [message.credits_used, batch.credits_used, toContact.message.credits_used];
  const deliveredAt: string | null = found.message.delivered_at;
  return { message, status, credits, deliveredAt, total: list.pagination.total };
}

/** Never run. */
export async function wrongCalls(baseUrl: string) {
  const call = createClient(baseUrl, {});
  // @ts-expect-error -- no such path
  await call('get', '/api/v1/message', {});
  // @ts-expect-error -- no such method on this path
  await call('delete', '/api/v1/messages/{id}', { path: { id: '' } });
  // @ts-expect-error -- the id is missing
  await call('get', '/api/v1/messages/{id}', {});
  // @ts-expect-error -- the body is missing
  await call('post', '/api/v1/messages/send', {});
  // @ts-expect-error -- nobody to send to
  await call('post', '/api/v1/messages/send', { body: { channel: 'sms', content: { text: 'Hello' } } });
  // @ts-expect-error -- a number is no recipient
  await call('post', '/api/v1/messages/send', { body: { to: 15551234567, channel: 'sms', content: { text: 'Hello' } } });
  // @ts-expect-error -- not a channel
  await call('post', '/api/v1/messages/send', { body: { to: '+15551234567', channel: 'voice', content: { text: 'Hello' } } });
  // @ts-expect-error -- the text is missing
  await call('post', '/api/v1/messages/send', { body: { to: '+15551234567', channel: 'sms', content: {} } });
  const template = { name: 'ticket', language: 'en' };
  const whatsapp = { to: '+15551234567', channel: 'whatsapp' } as const;
  await call('post', '/api/v1/messages/send', {
    // @ts-expect-error -- an image has a link
    body: { ...whatsapp, content: { text: 'Hello', template: { ...template, header: { type: 'image', text: 'Hello' } } } },
  });
  // @ts-expect-error -- neither recipients nor a tag
  await call('post', '/api/v1/messages/bulk', { body: { channel: 'sms', content: { text: 'Hello' } } });
  // @ts-expect-error -- not a status
  await call('get', '/api/v1/messages', { query: { status: 'lost' } });
  // @ts-expect-error -- not an event
  await call('post', '/api/v1/webhooks', { body: { url: 'https://example.com', events: ['message.lost'] } });
  const { message } = await call('get', '/api/v1/messages/{id}', { path: { id: '' } });
  // @ts-expect-error -- not a field of a message
  return message.price;
}
