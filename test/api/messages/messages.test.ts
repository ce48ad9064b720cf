import assert from 'node:assert/strict';
import { Message } from '../../../models/tables/message.js';
import { rows } from '../../support/database.js';
import { assertRecent } from '../../support/measure/times.js';
import { useApi } from '../use-api.js';

const send = '/api/v1/messages/send';
const list = '/api/v1/messages';
const sms = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } };

describe('messages', () => {
  const app = useApi({ checksBooks: true });
  let key: string;
  let workspaceId: string;
  let jwt: string;
  beforeEach(async () => {
    ({ key, jwt, workspaceId } = await app.account());
  });

  describe('POST /api/v1/messages/send', () => {
    it('201 for a send with the whole message as it is stored', async () => {
      const extras = { metadata: { order: 7 }, reference: 'r-1', status: 'delivered', credits_used: 0 };
      const { status, body } = await app.call('POST', send, { key, body: { ...sms, ...extras } });
      assert.equal(status, 201);
      const { id, created_at, ...message } = body.data.message;
      const nothing = {
        provider: null,
        provider_message_id: null,
        error_code: null,
        error_message: null,
        batch_id: null,
        scheduled_at: null,
        expires_at: null,
      };
      const never = { sent_at: null, delivered_at: null, failed_at: null, read_at: null };
      const price = { credits_used: 1, segments: 1, encoding: 'GSM-7' };
      const state = { status: 'queued', status_detail: 'accepted' };
      assert.deepEqual(message, { ...sms, ...state, ...price, ...nothing, ...never, metadata: { order: 7 }, reference: 'r-1' });
      assertRecent(created_at);
      assert.deepEqual((await app.call('GET', `${list}/${id}`, { key })).body.data.message, body.data.message);
    });
    const priced: [string, object, number, number | null, string | null][] = [
      ['160 characters', { content: { text: 'x'.repeat(160) } }, 1, 1, 'GSM-7'],
      ['161 characters', { content: { text: 'x'.repeat(161) } }, 2, 2, 'GSM-7'],
      ['160 emoji', { content: { text: '😀'.repeat(160) } }, 1, 5, 'UCS-2'],
      ['whatsapp', { channel: 'whatsapp' }, 0.5, null, null],
      ['email', { channel: 'email', to: 'a@b.co' }, 0.1, null, null],
    ];
    for (const [what, change, credits, segments, encoding] of priced) {
      it(`a send costs ${credits} credits for ${what}`, async () => {
        const { body } = await app.call('POST', send, { key, body: { ...sms, ...change } });
        const { message } = body.data;
        assert.deepEqual([message.credits_used, message.segments, message.encoding], [credits, segments, encoding]);
      });
    }
    it('subject and html are stored for an e-mail, and dropped on other channels', async () => {
      const content = { text: 'x', subject: 'Hi', html: '<b>x</b>' };
      const email = await app.call('POST', send, { key, body: { to: 'a@b.co', channel: 'email', content } });
      assert.deepEqual(email.body.data.message.content, content);
      assert.deepEqual((await app.call('POST', send, { key, body: { ...sms, content } })).body.data.message.content, { text: 'x' });
    });
    it('201 for a scheduled send, and a time in the past means now', async () => {
      const later = new Date(Date.now() + 3_600_000).toISOString();
      for (const [scheduled_at, detail] of [
        [later, 'scheduled'],
        ['2020-01-01T00:00:00.000Z', 'accepted'],
      ] as const) {
        const { status, body } = await app.call('POST', send, { key, body: { ...sms, scheduled_at } });
        const { message } = body.data;
        assert.deepEqual([status, message.status, message.status_detail, message.scheduled_at], [201, 'queued', detail, scheduled_at]);
      }
    });
    it('400 for a send that expires in the past or before its schedule, and nothing is stored', async () => {
      const earlier = await Message.count();
      const past = await app.call('POST', send, { key, body: { ...sms, expires_at: '2020-01-01T00:00:00Z' } });
      assert.deepEqual([past.status, past.body.error], [400, 'expires_at must be in the future']);
      const [scheduled_at, expires_at] = [new Date(Date.now() + 7_200_000).toISOString(), new Date(Date.now() + 3_600_000).toISOString()];
      const early = await app.call('POST', send, { key, body: { ...sms, to: 'x', scheduled_at, expires_at } });
      const [first, second] = early.body.details;
      assert.deepEqual([early.status, first.field, second.field], [400, 'to', 'expires_at']);
      assert.equal(second.message, 'expires_at must be after scheduled_at');
      assert.equal(await Message.count(), earlier);
    });
    it('403 for a send without the scope, before the body is checked', async () => {
      const reader = await app.account({ scopes: ['read_messages'] });
      const { status, body } = await app.call('POST', send, { key: reader.key, body: '{' });
      assert.deepEqual([status, body.error], [403, 'API key does not have required scope: send_messages']);
    });
    it('401 for a send with a JWT', async () => {
      const { status, body } = await app.call('POST', send, { jwt, body: sms });
      assert.deepEqual([status, body.error], [401, 'Missing X-API-Key header']);
    });
  });

  describe('POST /api/v1/messages/:id/cancel', () => {
    it('200 for a cancelled message, which is refunded and whose workflow gets one signal, and 200 again', async () => {
      const { id } = (await app.call('POST', send, { key, body: sms })).body.data.message;
      const { status, body } = await app.call('POST', `${list}/${id}/cancel`, { key });
      assert.equal(status, 200);
      const { status: state, status_detail, error_code, credits_used } = body.data.message;
      assert.deepEqual([state, status_detail, error_code, credits_used], ['failed', 'cancelled', 'cancelled', 0]);
      assert.equal((await app.call('POST', `${list}/${id}/cancel`, { key })).status, 200);
      assert.equal(app.calls.filter((call) => call === `cancelled msg:${id}`).length, 1);
      const [workspace] = await rows<{ balance: number }>(app.deps.db, 'SELECT balance FROM workspaces WHERE id = $1', [workspaceId]);
      assert.equal(workspace?.balance, 100_000);
    });
    it('409 for the cancel of a message after its hand-off', async () => {
      const { id } = (await app.call('POST', send, { key, body: sms })).body.data.message;
      await Message.update({ status: 'sent', status_detail: 'awaiting_report', sent_at: new Date() }, { where: { id } });
      const { status, body } = await app.call('POST', `${list}/${id}/cancel`, { key });
      assert.deepEqual([status, body.code], [409, 'conflict']);
    });
  });
});
