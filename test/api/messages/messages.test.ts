import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { Message } from '../../../models/tables/message.js';
import { rows } from '../../support/database.js';
import { buildQueued, buildUndecided } from '../../support/rows/factories.js';
import type { Answer } from '../start-app.js';
import { useApi } from '../use-api.js';

const send = '/api/v1/messages/send';
const list = '/api/v1/messages';
const sms = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } };
const ids = ({ status, body }: Answer) => {
  assert.equal(status, 200);
  return body.data.messages.map(({ id }: { id: string }) => id);
};

describe('messages', () => {
  const app = useApi({ checksBooks: true });
  let key: string;
  let workspaceId: string;
  let jwt: string;
  beforeEach(async () => {
    ({ key, jwt, workspaceId } = await app.account());
  });

  describe('POST /api/v1/messages/send', () => {
    it('201 with the whole message as it is stored', async () => {
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
      assert.ok(Math.abs(Date.now() - Date.parse(created_at)) < 5000);
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
    it('stores subject and html of an e-mail, and drops them on other channels', async () => {
      const content = { text: 'x', subject: 'Hi', html: '<b>x</b>' };
      const email = await app.call('POST', send, { key, body: { to: 'a@b.co', channel: 'email', content } });
      assert.deepEqual(email.body.data.message.content, content);
      assert.deepEqual((await app.call('POST', send, { key, body: { ...sms, content } })).body.data.message.content, { text: 'x' });
    });
    it('201 for a schedule, and a time in the past means now', async () => {
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
    it('400 for an expiry in the past or before the schedule, and stores nothing', async () => {
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
    it('403 without the scope before the body is checked', async () => {
      const reader = await app.account({ scopes: ['read_messages'] });
      const { status, body } = await app.call('POST', send, { key: reader.key, body: '{' });
      assert.deepEqual([status, body.error], [403, 'API key does not have required scope: send_messages']);
    });
    it('401 with a JWT', async () => {
      const { status, body } = await app.call('POST', send, { jwt, body: sms });
      assert.deepEqual([status, body.error], [401, 'Missing X-API-Key header']);
    });
  });

  describe('GET /api/v1/messages', () => {
    it('200 in pages, newest first, without messages that are not accepted yet', async () => {
      const made: string[] = [];
      for (let index = 0; index < 5; index += 1) made.unshift((await buildQueued(app.deps.db, workspaceId)).id);
      const undecided = await buildUndecided(app.deps.db, workspaceId);
      const first = await app.call('GET', `${list}?limit=2`, { key });
      assert.deepEqual(ids(first), made.slice(0, 2));
      const { next_cursor, ...pagination } = first.body.data.pagination;
      assert.deepEqual([pagination, typeof next_cursor], [{ total: 5, page: 1, pages: 3, limit: 2 }, 'string']);
      assert.deepEqual(ids(await app.call('GET', `${list}?limit=2&page=3`, { key })), made.slice(4));
      const all = await app.call('GET', list, { key });
      assert.deepEqual(all.body.data.pagination, { total: 5, page: 1, pages: 1, limit: 50, next_cursor: null });
      assert.equal((await app.call('GET', `${list}/${undecided.id}`, { key })).status, 404);
      assert.equal((await app.call('POST', `${list}/${undecided.id}/cancel`, { key })).status, 404);
      await app.deps.db.query(`DELETE FROM messages WHERE id = '${undecided.id}'`);
    });
    it('200 filters messages by each parameter', async () => {
      const day = '2026-03-01T10:00:00.000Z';
      const old = await buildQueued(app.deps.db, workspaceId, { created_at: new Date(day), reference: 'ref 1' });
      const mail = await buildQueued(app.deps.db, workspaceId, { channel: 'email', to: 'a+c@b.co' });
      await app.call('POST', `${list}/${mail.id}/cancel`, { key });
      const cases: [string, string[]][] = [
        ['status=queued', [old.id]],
        ['status=failed', [mail.id]],
        ['status=read', []],
        ['channel=email', [mail.id]],
        ['to=%2B15551234567', [old.id]],
        ['to=+15551234567', [old.id]],
        ['to=a%2Bc%40b.co', [mail.id]],
        ['to=a+c@b.co', [mail.id]],
        ['to=A%2BC@B.co', [mail.id]],
        ['reference=ref%201', [old.id]],
        ['reference=ref', []],
        [`batch_id=${uuidv7()}`, []],
        ['start_date=2026-03-02', [mail.id]],
        ['end_date=2026-03-01', [old.id]],
        ['end_date=2026-02-28', []],
        [`start_date=${day}&end_date=${day}`, [old.id]],
        ['start_date=2026-03-01T11:00:00%2B01:00&end_date=2026-03-01T12:00', [old.id]],
        ['start_date=2026-03-01T11:00:00+01:00&end_date=2026-03-01T13:00:00+01:00', [old.id]],
        ['status=queued&channel=email', []],
        ['unknown=1&a[b]=2', [mail.id, old.id]],
      ];
      for (const [query, expected] of cases) assert.deepEqual(ids(await app.call('GET', `${list}?${query}`, { key })), expected, query);
    });
    const refused: [string, string][] = [
      ['page=0', 'Page must be at least 1'],
      ['page=-1', 'Page must be at least 1'],
      ['page=1.5', 'Page must be at least 1'],
      ['page=1e3', 'Page must be at least 1'],
      ['page=', 'Page must be at least 1'],
      ['page=9007199254740992', 'Page must be between 1 and 9007199254740991'],
      ['page=99999999999999999999', 'Page must be between 1 and 9007199254740991'],
      ['limit=0', 'Limit must be between 1 and 100'],
      ['limit=101', 'Limit must be between 1 and 100'],
      ['limit=ten', 'Limit must be between 1 and 100'],
      ['limit=0x10', 'Limit must be between 1 and 100'],
      ['page=1&page=2', 'page must be given once'],
      ['to=a&to=b', 'to must be given once'],
      ['status=accepting', 'Invalid status. Must be one of: queued, sent, delivered, failed, read'],
      ['channel=voice', 'Invalid channel. Must be one of: sms, whatsapp, email'],
      ['start_date=yesterday', 'Invalid date format'],
      ['start_date=2026-03-01 12:00', 'Invalid date format'],
      ['end_date=2026-02-30', 'Invalid date format'],
      ['end_date=', 'Invalid date format'],
      ['to=%00', 'to must be valid text'],
      ['reference=%00', 'reference must be valid text'],
      ['batch_id=x', 'batch_id must be a UUID'],
      ['batch_id=', 'batch_id must be a UUID'],
      ['to=', 'to must not be empty'],
      ['status=', 'Invalid status. Must be one of: queued, sent, delivered, failed, read'],
    ];
    for (const [query, text] of refused) {
      it(`400 ${query}`, async () => {
        const { status, body } = await app.call('GET', `${list}?${query}`, { key });
        assert.deepEqual([status, body.error], [400, text]);
      });
    }
  });

  describe('POST /api/v1/messages/:id/cancel', () => {
    it('200 refunds and signals the workflow, and 200 again without a signal', async () => {
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
    it('409 after the hand-off', async () => {
      const { id } = (await app.call('POST', send, { key, body: sms })).body.data.message;
      await Message.update({ status: 'sent', status_detail: 'awaiting_report' }, { where: { id } });
      const { status, body } = await app.call('POST', `${list}/${id}/cancel`, { key });
      assert.deepEqual([status, body.code], [409, 'conflict']);
    });
  });
});
