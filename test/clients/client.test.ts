import assert from 'node:assert/strict';
import { type Message, OptionError, type SentMessage, Tidings, TidingsError } from '../../clients/typescript/client/index.js';
import { useApi } from '../api/use-api.js';
import { prices } from '../support/prices.js';
import { toCredits } from '../../models/rules/billing/credits.js';
import { eventTypes } from '../../models/rules/webhooks/events.js';

const message = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } } as const;

describe('the TypeScript client', () => {
  const app = useApi({ checksBooks: true });
  let tidings: Tidings;
  before(async () => {
    tidings = new Tidings({ apiKey: (await app.account()).key, baseUrl: app.url });
  });

  it('the TypeScript client sends, reads, cancels and explains a message', async () => {
    const sent = await tidings.messages.send({ ...message, metadata: { order: 7 } });
    const found = await tidings.messages.get(sent.id);
    assert.deepEqual([found.status, found.credits_used, found.metadata], ['queued', toCredits(prices.sms), { order: 7 }]);
    assert.equal((await tidings.messages.timeline(sent.id)).steps[0]?.type, 'accepted');
    assert.equal((await tidings.messages.cancel(sent.id)).status_detail, 'cancelled');
    assert.equal((await tidings.messages.preview(message)).credits, toCredits(prices.sms));
    const { balance } = await tidings.balance();
    assert.equal((await tidings.usage({ by: 'channel' })).by, 'channel');
    assert.equal(typeof balance, 'number');
  });

  it('the TypeScript client sends once for one idempotency key', async () => {
    const [one, two] = await Promise.all([1, 2].map(() => tidings.messages.send(message, { idempotencyKey: 'order-1' })));
    assert.equal(one?.id, two?.id);
    assert.notEqual((await tidings.messages.send(message)).id, (await tidings.messages.send(message)).id);
  });

  it('the TypeScript client reads a list of several parts once from its beginning to its end', async () => {
    const own = new Tidings({ apiKey: (await app.account()).key, baseUrl: app.url });
    const sent: string[] = [];
    for (let count = 0; count < 5; count += 1) sent.push((await own.messages.send({ ...message, reference: 'a&b' })).id);
    const seen: string[] = [];
    for await (const { id } of own.messages.list({ limit: 2, reference: 'a&b' })) {
      seen.push(id);
      if (seen.length === 1) await own.messages.send({ ...message, reference: 'a&b' }); // the list goes on as it began
    }
    assert.deepEqual(seen, sent.toReversed());
    const { items, nextCursor } = await own.messages.list({ status: 'sent' }).page();
    assert.deepEqual([items, nextCursor], [[], null]);
  });

  it('the TypeScript client sends batches, and pauses, resumes and cancels them', async () => {
    const { id, accepted } = await tidings.batches.send({
      channel: 'sms',
      content: { text: 'Hello {{name}}' },
      recipients: [{ to: '+15551234567', variables: { name: 'Ada' } }],
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    assert.equal(accepted, 1);
    assert.equal((await tidings.batches.pause(id)).status, 'paused');
    assert.equal((await tidings.batches.resume(id)).status, 'scheduled');
    assert.equal((await tidings.batches.cancel(id)).status, 'cancelled');
    assert.equal((await tidings.batches.get(id)).counts.failed, 1);
    assert.deepEqual(
      (await tidings.batches.list().page()).items.map((batch) => batch.id),
      [id],
    );
  });

  it('the TypeScript client creates, changes, lists and deletes contacts and webhooks', async () => {
    const { id } = await tidings.contacts.create({ email: 'ada@example.com', name: 'Ada' });
    assert.equal((await tidings.contacts.update(id, { name: null })).name, null);
    assert.equal((await tidings.contacts.get(id)).email, 'ada@example.com');
    const listed: string[] = [];
    for await (const contact of tidings.contacts.list()) listed.push(contact.id);
    assert.deepEqual(listed, [id]);
    await tidings.contacts.delete(id);
    const { webhook, secret } = await tidings.webhooks.create({ url: 'https://example.com/hook', events: ['message.failed'] });
    assert.match(secret, /^whsec_/);
    assert.notEqual((await tidings.webhooks.rotateSecret(webhook.id, { overlapHours: 0 })).secret, secret);
    assert.match((await tidings.webhooks.portal(webhook.id)).url, /\/console\/portal\/webhooks\/[\w-]+#token=/);
    assert.equal((await tidings.webhooks.update(webhook.id, { is_active: false })).is_active, false);
    assert.deepEqual(
      (await tidings.webhooks.events()).map(({ type }) => type),
      eventTypes,
    );
    assert.deepEqual((await tidings.webhooks.deliveries(webhook.id).page()).items, []);
    const period = { since: new Date(Date.now() - 60_000).toISOString(), dry_run: true };
    assert.equal((await tidings.webhooks.replay(webhook.id, period)).matched, 0);
    assert.deepEqual(await tidings.webhooks.publicKey(webhook.id), { public_key: null, previous: null });
    await tidings.webhooks.delete(webhook.id);
    assert.deepEqual((await tidings.webhooks.list().page()).items, []);
  });

  it('the TypeScript client calls operations without a method of their own', async () => {
    const sends = [1, 2].map(() =>
      tidings.request<{ message: SentMessage }>('POST', '/messages/send', { body: message, idempotencyKey: 'order-2' }),
    );
    const [one, two] = await Promise.all(sends);
    assert.equal(one?.message.id, two?.message.id);
    const query = { limit: 1, cursor: undefined };
    const listed = await tidings.request<{ messages: Message[] }>('GET', '/messages', { query });
    assert.equal(listed.messages.length, 1);
    await assert.rejects(tidings.request('GET', '/messages/none'), { status: 404 });
    for (const path of ['messages', '/messages/../balance', '/messages/%2E%2e', '/messages?limit=1', '/messages#', '/messages\\..'])
      await assert.rejects(tidings.request('GET', path), OptionError, path);
    await assert.rejects(tidings.request('POST', '/messages/send', { body: message, idempotencyKey: 'a b' }), OptionError);
  });

  it('the TypeScript client suppresses recipients, lists and removes suppressions', async () => {
    const { id } = await tidings.suppressions.create({ channel: 'sms', recipient: '+15551234569' });
    assert.equal((await tidings.suppressions.create({ channel: 'sms', recipient: '+15551234569' })).id, id);
    assert.equal((await tidings.suppressions.get(id)).reason, 'manual');
    for await (const suppression of tidings.suppressions.list({ channel: 'sms' })) assert.equal(suppression.id, id);
    await tidings.suppressions.delete(id);
    assert.deepEqual((await tidings.suppressions.list().page()).items, []);
    await assert.rejects(tidings.suppressions.delete(id), { status: 404 });
  });

  it('the TypeScript client throws what the service said', async () => {
    const error = await tidings.messages.send({ ...message, to: 'nobody', content: { text: '' } }).catch((reason: unknown) => reason);
    assert.ok(error instanceof TidingsError);
    assert.deepEqual([error.status, error.code, error.message], [400, 'validation_failed', 'Phone number must be in E.164 format']);
    assert.deepEqual(
      error.details.map(({ field }) => field),
      ['to', 'content.text'],
    );
    assert.notEqual(error.requestId, null);
    await assert.rejects(tidings.messages.get('a/../b'), { status: 404, message: 'Message not found' });
    await assert.rejects(tidings.messages.get(''), OptionError);
    const stranger = new Tidings({ apiKey: 'tidings_wrong', baseUrl: app.url });
    await assert.rejects(stranger.stream().next(), { status: 401, code: 'unauthorized' });
    await assert.rejects(tidings.stream({ lastEventId: 'never-issued' }).next(), { status: 400, message: 'Invalid Last-Event-ID' });
  });
});
