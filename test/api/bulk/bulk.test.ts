import assert from 'node:assert/strict';
import { names, people, phone, toPeople } from '../../support/bulk-requests.js';
import { rows } from '../../support/database.js';
import { ledgerOf } from '../../support/rows/messages.js';
import type { Answer } from '../start-app.js';
import { useApi } from '../use-api.js';
import { prices } from '../../support/prices.js';
import { assertRecent } from '../../support/measure/times.js';
import { toCredits } from '../../../models/rules/billing/credits.js';

const path = '/api/v1/messages/bulk';

describe('bulk', () => {
  const app = useApi({ checksBooks: true });
  let key: string;
  let workspaceId: string;
  const open = async (balance = 100_000) => {
    ({ key, workspaceId } = await app.account({ balance }));
  };
  beforeEach(() => open());
  const post = (changes: object = {}) => app.call('POST', path, { key, body: { ...toPeople, ...changes } });
  const get = async (id: string) => (await app.call('GET', `${path}/${id}`, { key })).body.data.batch;
  /** How many batches and messages there are. */
  const stored = async () => {
    const tables = ['batches', 'messages'].map((table) => `(SELECT count(*) FROM ${table} WHERE workspace_id = $1) AS ${table}`);
    const [row] = await rows(app.deps.db, `SELECT ${tables.join(', ')}`, [workspaceId]);
    return Object.values(row ?? {});
  };

  describe('POST /api/v1/messages/bulk', () => {
    it('201 for a bulk send with one debit, and one message with its own text for each recipient', async () => {
      const { status, body } = await post({ metadata: { campaign: 1 }, rate: 5 });
      assert.equal(status, 201);
      const { id, created_at, ...batch } = body.data.batch;
      const counts = { queued: 3, sent: 0, delivered: 0, failed: 0, read: 0 };
      const expected = {
        channel: 'sms',
        status: 'sending',
        total: 3,
        accepted: 3,
        invalid: 0,
        credits_used: toCredits(3 * prices.sms),
        counts,
        errors: [],
        rate: 5,
      };
      assert.deepEqual(batch, { ...expected, scheduled_at: null, completed_at: null });
      assertRecent(created_at);
      assert.deepEqual(await get(id), body.data.batch);
      assert.deepEqual(await ledgerOf(app.deps.db, workspaceId), ['grant 100000', `debit ${-3 * prices.sms}`]);
      const { messages, pagination } = (await app.call('GET', `/api/v1/messages?batch_id=${id}`, { key })).body.data;
      assert.equal(pagination.total, 3);
      const seen = messages.map(
        (one: { to: string; content: { text: string }; status: string; batch_id: string; metadata: object; credits_used: number }) => [
          one.to,
          one.content.text,
          one.status,
          one.batch_id,
          one.metadata,
          one.credits_used,
        ],
      );
      assert.deepEqual(
        seen,
        names.map((name, index) => [phone(index), `Hi ${name}`, 'queued', id, { campaign: 1 }, toCredits(prices.sms)]).toReversed(),
      );
    });
    it('201 for a bulk send to recipients as plain texts, with variables and by e-mail', async () => {
      const plain = await post({ content: { text: 'Hi {{name|you}}' }, recipients: [phone(0), { to: phone(1), name: 7 }] });
      assert.deepEqual([plain.status, plain.body.data.batch.accepted], [201, 2]);
      const content = { text: 'Hi {{name}}', subject: '{{name}}', html: '<i>{{name}}</i>' };
      const mail = await post({ channel: 'email', content, recipients: [{ to: 'a@b.co', name: '<x>' }] });
      assert.equal(mail.body.data.batch.credits_used, toCredits(prices.email));
      const { messages } = (await app.call('GET', `/api/v1/messages?batch_id=${mail.body.data.batch.id}`, { key })).body.data;
      assert.deepEqual(messages[0].content, { text: 'Hi <x>', subject: '<x>', html: '<i>&lt;x&gt;</i>' });
    });
    it('201 for a scheduled bulk send, and a time in the past means now', async () => {
      const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
      const { status, body } = await post({ scheduled_at });
      const { batch } = body.data;
      assert.equal(status, 201);
      assert.deepEqual([batch.status, batch.scheduled_at, (await get(batch.id)).status], ['scheduled', scheduled_at, 'scheduled']);
      const { messages } = (await app.call('GET', `/api/v1/messages?batch_id=${batch.id}`, { key })).body.data;
      assert.deepEqual([messages[0].status_detail, messages[0].scheduled_at], ['scheduled', scheduled_at]);
      const past = await post({ scheduled_at: '2020-01-01T00:00:00Z' });
      assert.deepEqual([past.status, past.body.data.batch.status], [201, 'sending']);
    });
    it('201 for a bulk send with on_invalid skip, which sends to valid recipients and reports the others', async () => {
      const recipients = [people[0], 'x', phone(8), { ...people[1], metadata: 7 }, people[2]];
      const { status, body } = await post({ recipients, on_invalid: 'skip' });
      const { id, total, accepted, invalid, credits_used, errors } = body.data.batch;
      assert.deepEqual([status, total, accepted, invalid, credits_used], [201, 5, 2, 3, toCredits(2 * prices.sms)]);
      const seen = errors.map((one: { index: number; field: string }) => [one.index, one.field]);
      const expected = [
        [1, 'recipients[1].to'],
        [1, 'recipients[1].variables.name'],
        [2, 'recipients[2].variables.name'],
        [3, 'recipients[3].metadata'],
      ];
      assert.deepEqual(seen, expected);
      assert.deepEqual((await get(id)).errors, errors);
      assert.deepEqual(Object.keys(errors[0]), ['index', 'field', 'message']);
      assert.equal((await post({ recipients: ['x'], on_invalid: 'skip' })).status, 400);
    });
    it('a bulk send sends once to duplicates unless they are allowed', async () => {
      const recipients = [...people, people[0], people[0]];
      const once = (await post({ recipients })).body.data.batch;
      assert.deepEqual([once.total, once.accepted, once.invalid, once.credits_used], [5, 3, 0, toCredits(3 * prices.sms)]);
      const each = (await post({ recipients, allow_duplicates: true })).body.data.batch;
      assert.deepEqual([each.total, each.accepted, each.credits_used], [5, 5, toCredits(5 * prices.sms)]);
    });
    it('ten bulk sends at once spend no more than the balance', async () => {
      await open(12 * prices.sms);
      const answers = await Promise.all(Array.from({ length: 10 }, () => post()));
      const counts = [201, 402].map((status) => answers.filter((answer) => answer.status === status).length);
      assert.deepEqual(counts, [4, 6]);
      assert.deepEqual(await stored(), [4, 12]);
    });
  });
});

describe('too many bulk sends', () => {
  const app = useApi({ env: { RATE_LIMIT_BULK: '2/60' } });

  it('429 above the limit of bulk sends', async () => {
    const { key } = await app.account();
    const answers: Answer[] = [];
    for (let index = 0; index < 3; index += 1) answers.push(await app.call('POST', path, { key, body: toPeople }));
    const seen = answers.map(({ status, headers }) => [status, headers.get('x-ratelimit-limit')]);
    assert.deepEqual(seen, [
      [201, '2'],
      [201, '2'],
      [429, '2'],
    ]);
    assert.equal((await app.call('GET', path, { key })).headers.get('x-ratelimit-limit'), '100000');
  });
});
