import assert from 'node:assert/strict';
import { signSandboxCallback } from '../../models/rules/callbacks/sandbox.js';
import { fallBack } from '../../models/operations/messages/fall-back.js';
import { overdueFallbacks } from '../../models/operations/messages/fallback-chain.js';
import { type Account, bearer, type Json, type RestClient, restClient } from '../support/client.js';
import { rows } from '../support/database.js';
import { assertBooks } from '../../harness/checks/invariants.js';
import { startReceiver } from '../support/network/receiver.js';
import { type Service, startService } from '../support/service.js';
import { workflowIds } from '../../workflows/contract.js';
import { prices } from '../support/prices.js';
import { toCredits } from '../../models/rules/billing/credits.js';

const silentNumber = '+15005550002';
const refused = '+15005550001';
const fails = '+15005550007';

describe('a message with a fallback', () => {
  let service: Service;
  let client: RestClient;
  let account: Account;
  before(async () => {
    service = await startService({ isHere: true, env: { SIGNUP_CREDITS: String(toCredits(10 * prices.sms)), SANDBOX_DELAY_MS: '1' } });
    client = restClient(service.url);
  });
  beforeEach(async () => {
    account = await client.signUp();
  });
  afterEach(() => assertBooks(service.db));
  after(() => service?.stop());

  const chainUntil = (id: string, outcome: string) => client.messageUntil(account, id, (message) => message.fallback?.outcome === outcome);
  /** In thousandths of a credit. */
  const spent = async () => {
    const { body } = await client.call('GET', '/api/v1/billing/transactions?limit=100', { headers: bearer(account.token) });
    const amounts: number[] = body.data.transactions
      .filter(({ type }: Json) => type !== 'grant')
      .map(({ amount }: Json) => Math.round(amount * 1000));
    return -amounts.reduce((sum, amount) => sum + amount, 0);
  };
  const messages = async () => (await rows(service.db, 'SELECT 1 FROM messages WHERE workspace_id = $1', [account.workspaceId])).length;

  it('a message that is not delivered in time is sent on the next channel, at the higher price', async () => {
    const receiver = await startReceiver();
    await client.hook(account, receiver.url);
    const fallback = [{ channel: 'sms', to: '+15551230001', after: 1 }];
    const { id } = await client.send(account, {
      channel: 'whatsapp',
      to: silentNumber,
      metadata: { order: 7 },
      reference: 'o-7',
      fallback,
    });
    const first = await chainUntil(id, 'sent');
    assert.deepEqual([first.status, first.fallback_of, first.credits_used], ['sent', null, toCredits(prices.whatsapp)]);
    const next = await client.messageUntil(account, first.fallback.message_id, ({ status }) => status === 'delivered');
    const { channel, to, fallback_of, credits_used, metadata, reference } = next;
    assert.deepEqual(
      { channel, to, fallback_of, fallback: next.fallback, credits_used, metadata, reference },
      {
        channel: 'sms',
        to: '+15551230001',
        fallback_of: id,
        fallback: null,
        credits_used: toCredits(prices.sms - prices.whatsapp),
        metadata: { order: 7 },
        reference: 'o-7',
      },
    );
    const request = {
      body: { channel: 'whatsapp', to: silentNumber, content: { text: 'Hello' }, fallback },
      headers: { 'X-API-Key': account.apiKey },
    };
    const previewed = await client.call('POST', '/api/v1/messages/preview', request);
    assert.deepEqual([await spent(), previewed.body.data.fallback.credits_max], [prices.sms, toCredits(prices.sms)]);
    await receiver.untilReceived(5);
    await receiver.close();
    const { body } = await client.call('GET', `/api/v1/messages/${id}/timeline`, { headers: { 'X-API-Key': account.apiKey } });
    const told = body.data.timeline.steps.filter(({ type }: Json) => type === 'fallback').map(({ details }: Json) => details);
    assert.deepEqual(told, [{ outcome: 'sent', message_id: next.id }]);
  });

  it('a message that fails is sent on the next channel at once, and refunds do not count', async () => {
    const fallback = [
      { channel: 'sms', to: fails, after: 3600 },
      { channel: 'email', to: 'ada@example.test', after: 3600 },
    ];
    const content = { text: 'Hello', subject: 'News', html: '<p>Hello</p>', template: { name: 'hello', language: 'en' } };
    const { id } = await client.send(account, { to: refused, content, fallback });
    const first = await chainUntil(id, 'sent');
    assert.deepEqual([first.status, first.credits_used, first.content], ['failed', 0, { text: 'Hello' }]);
    const second = await chainUntil(first.fallback.message_id, 'sent');
    assert.deepEqual([second.status, second.credits_used], ['failed', toCredits(prices.sms)]);
    const third = await client.messageUntil(account, second.fallback.message_id, ({ status }) => status === 'delivered');
    assert.deepEqual([third.channel, third.credits_used], ['email', 0]);
    assert.deepEqual(third.content, { text: 'Hello', subject: 'News', html: '<p>Hello</p>' }, 'what its channel knows of the content');
    assert.equal(await spent(), prices.sms);
  });

  it('a message that is delivered in time is not sent on the next channel', async () => {
    const { id } = await client.send(account, { fallback: [{ channel: 'whatsapp', after: 60 }] });
    await chainUntil(id, 'not_needed');
    assert.deepEqual([await messages(), await spent()], [1, prices.sms]);
  });

  it('a message with a fallback stores a late report of the first step, and charges and sends nothing again', async () => {
    const { id } = await client.send(account, { to: silentNumber, fallback: [{ channel: 'sms', to: '+15551230002', after: 1 }] });
    const first = await chainUntil(id, 'sent');
    await client.messageUntil(account, first.fallback.message_id, ({ status }) => status === 'delivered');
    const report = {
      id: first.provider_message_id,
      reference: id,
      status: 'delivered',
      error_code: null,
      occurred_at: new Date().toISOString(),
    };
    const text = JSON.stringify({ reports: [report] });
    const answer = await client.call('POST', '/callbacks/sandbox', {
      body: text,
      headers: signSandboxCallback(service.config.secretKey, text),
    });
    assert.equal(answer.status, 200);
    const late = await client.messageUntil(account, id, ({ status }) => status === 'delivered');
    assert.deepEqual([late.fallback.outcome, await messages(), await spent()], ['sent', 2, prices.sms]);
  });

  it('a message is not sent on the next channel without credits, and the timeline states it', async () => {
    await Promise.all(Array.from({ length: 9 }, () => client.send(account)));
    const fallback = [{ channel: 'sms', to: '+15551230003', after: 1 }];
    const { id } = await client.send(account, {
      channel: 'email',
      to: 'silent@example.test',
      content: { text: 'x'.repeat(161) },
      fallback,
    });
    await chainUntil(id, 'unaffordable');
    assert.deepEqual([await messages(), await spent()], [10, 9 * prices.sms + prices.email]);
  });

  it('a message with a fallback is sent once when it is cancelled or not handed off in time', async () => {
    const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
    const fallback = [{ channel: 'whatsapp', after: 60 }];
    const { id } = await client.send(account, { scheduled_at, fallback });
    await client.call('POST', `/api/v1/messages/${id}/cancel`, { headers: { 'X-API-Key': account.apiKey } });
    await chainUntil(id, 'not_needed');
    const later = await client.send(account, { scheduled_at, fallback });
    const answers = await Promise.all(Array.from({ length: 5 }, () => fallBack(service.db, later.id, true, workflowIds.message)));
    assert.equal(new Set(answers.map(({ next }) => next?.groupId)).size, 1, 'decided once, answered alike');
    const first = await client.messageUntil(account, later.id, ({ status }) => status === 'failed');
    assert.deepEqual([first.error_code, first.credits_used, first.fallback.outcome], ['expired', 0, 'sent']);
    assert.equal(await spent(), prices.whatsapp);
  });

  it('the watcher finds a message with a fallback whose workflow is lost', async () => {
    const content = { text: 'Hello', template: { name: 'hello', language: 'en', header: { type: 'text', text: 'News' } } };
    const { id } = await client.send(account, {
      to: silentNumber,
      content,
      fallback: [{ channel: 'whatsapp', to: '+15551230005', after: 600 }],
    });
    await client.messageUntil(account, id, ({ status }) => status === 'sent');
    assert.deepEqual(await overdueFallbacks(service.db, 60), []);
    await rows(service.db, `UPDATE fallbacks SET due_at = now() - interval '2 minutes' WHERE message_id = $1`, [id]);
    assert.deepEqual(
      (await overdueFallbacks(service.db, 60)).map(({ groupId }) => groupId),
      [id],
    );
    await service.temporal.client.workflow.start('runWatcher', { taskQueue: 'messages', workflowId: `watcher-${id}` });
    const first = await chainUntil(id, 'sent');
    const next = await client.messageUntil(account, first.fallback.message_id, ({ status }) => status === 'read');
    assert.deepEqual(next.content, content);
    assert.deepEqual(await overdueFallbacks(service.db, 60), []);
  });

  it('a message whose scheduled time is in the past has its whole time before it goes to the next channel', async () => {
    const scheduled_at = new Date(Date.now() - 3_600_000).toISOString();
    const { id } = await client.send(account, {
      to: silentNumber,
      scheduled_at,
      fallback: [{ channel: 'sms', to: '+15551230006', after: 600 }],
    });
    await client.messageUntil(account, id, ({ status }) => status === 'sent');
    assert.deepEqual(await overdueFallbacks(service.db, 60), []);
  });

  it('a message with a fallback is sent once for one idempotency key', async () => {
    const body = { to: silentNumber, fallback: [{ channel: 'sms', to: '+15551230004', after: 1 }] };
    const key = { 'Idempotency-Key': 'with-fallback' };
    const [one, other] = await Promise.all([client.send(account, body, key), client.send(account, body, key)]);
    assert.equal(one.id, other.id);
    await chainUntil(one.id, 'sent');
    assert.equal((await client.send(account, body, key)).id, one.id);
    assert.equal(await messages(), 2);
  });
});
