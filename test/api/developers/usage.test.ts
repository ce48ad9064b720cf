import assert from 'node:assert/strict';
import { sumUsage } from '../../../models/operations/workspaces/sum-usage.js';
import { rows } from '../../support/database.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';
import { inOneDay } from '../../support/parts/one-day.js';
import { prices } from '../../support/prices.js';
import { toCredits } from '../../../models/rules/billing/credits.js';

const day = (at: Date) => at.toISOString().slice(0, 10);

describe('GET /api/v1/balance', () => {
  const app = useApi();
  beforeEach(inOneDay);

  it('200 for the balance with any key or JWT: what is left, and what was spent today', async () => {
    const { key, jwt } = await app.account({ scopes: ['send_messages'] });
    const sms = { to: '+15551234567', channel: 'whatsapp', content: { text: 'Hello' } };
    await app.call('POST', '/api/v1/messages/send', { key, body: sms });
    await app.call('PUT', '/api/v1/workspace', { jwt, body: { spend_limit_day: 20 } });
    const wanted = {
      balance: toCredits(100_000 - prices.whatsapp),
      currency_of_credits: 'usd',
      spend_today: toCredits(prices.whatsapp),
      spend_limit_day: 20,
    };
    for (const credential of [{ key }, { jwt }]) {
      const { status, body } = await app.call('GET', '/api/v1/balance', credential);
      assert.deepEqual([status, body.data], [200, wanted]);
    }
  });
  it('200 for a balance with nothing spent and no limit', async () => {
    const { key } = await app.account({ scopes: ['manage_webhooks'] });
    const { status, body } = await app.call('GET', '/api/v1/balance', { key });
    assert.deepEqual([status, body.data.spend_today, body.data.spend_limit_day], [200, 0, null]);
  });
});

describe('GET /api/v1/usage', () => {
  const app = useApi();
  let account: Account;
  before(inOneDay);
  before(async () => {
    account = await app.account();
    for (const [to, channel] of [
      ['+15551234567', 'sms'],
      ['+15551234567', 'whatsapp'],
      ['a@example.com', 'email'],
      ['+15551234568', 'sms'],
    ]) {
      const { status } = await app.call('POST', '/api/v1/messages/send', {
        key: account.key,
        body: { to, channel, content: { text: 'Hello' } },
      });
      assert.equal(status, 201);
    }
    const { db } = app.deps;
    await rows(
      db,
      `UPDATE messages SET status = 'delivered', sent_at = now(), delivered_at = now() WHERE channel = 'sms' AND "to" LIKE '%8'`,
    );
    await rows(db, `UPDATE messages SET status = 'read', sent_at = now(), read_at = now() WHERE channel = 'whatsapp'`);
    await rows(db, `UPDATE messages SET status = 'failed', failed_at = now(), credits_used = 0 WHERE channel = 'email'`);
    const other = await app.account();
    await app.call('POST', '/api/v1/messages/send', {
      key: other.key,
      body: { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } },
    });
  });
  const usage = (query: string, credential: object = { key: account.key }) => app.call('GET', `/api/v1/usage${query}`, credential);
  const whole = { messages: 4, delivered: 2, failed: 1, credits: toCredits(2 * prices.sms + prices.whatsapp) };

  it('the usage has the sums of each day, of this workspace alone', async () => {
    const { status, body } = await usage('');
    const { from, to, ...sums } = body.data;
    assert.equal(status, 200);
    assert.equal(Date.parse(to) - Date.parse(from), 30 * 86_400_000);
    assert.deepEqual(sums, { by: 'day', ...whole, usage: [{ day: day(new Date()), ...whole }] });
    assert.deepEqual((await usage('', { jwt: account.jwt })).body.data.usage, sums.usage);
  });
  it('the usage has the sums of each channel', async () => {
    const { status, body } = await usage('?by=channel');
    assert.equal(status, 200);
    assert.deepEqual(body.data.usage, [
      { channel: 'email', messages: 1, delivered: 0, failed: 1, credits: 0 },
      { channel: 'sms', messages: 2, delivered: 1, failed: 0, credits: toCredits(2 * prices.sms) },
      { channel: 'whatsapp', messages: 1, delivered: 1, failed: 0, credits: toCredits(prices.whatsapp) },
    ]);
  });
  it('200 with zeros for the usage of a period without messages', async () => {
    const { status, body } = await usage('?from=2026-01-01&to=2026-01-31');
    assert.equal(status, 200);
    const nothing = { messages: 0, delivered: 0, failed: 0, credits: 0 };
    assert.deepEqual(body.data, { from: '2026-01-01T00:00:00.000Z', to: '2026-01-31T23:59:59.999Z', by: 'day', ...nothing, usage: [] });
  });
  it('200 for the usage up to a time before 1970, without a start', async () => {
    assert.deepEqual([(await usage('?to=1965-01-01')).status, (await usage('?to=1970-01-02')).status], [200, 200]);
  });
  for (const [query, field, message, hint] of [
    ['?from=x', 'from', 'Invalid date format', 'ISO 8601 with a time zone, for example 2026-11-21T10:00:00Z'],
    ['?by=week', 'by', 'Invalid by. Must be one of: day, channel'],
    ['?from=2026-02-01&to=2026-01-01', 'to', 'to must not be before from'],
    ['?from=2999-01-01', 'from', 'from must not be in the future'],
    ['?from=2026-01-01&to=2026-06-01', 'from', 'from and to must be at most 92 days apart'],
  ] as const) {
    it(`400 for the usage with ${query}`, async () => {
      const { status, body } = await usage(query);
      assert.deepEqual([status, body.details, body.hints], [400, [{ field, message }], hint && [hint]]);
    });
  }
  it('limit_reached for the usage of a period with more messages than are added up', async () => {
    const now = Date.now();
    const period = { from: new Date(now - 3_600_000), to: new Date(now + 1000) };
    await assert.rejects(sumUsage(app.deps.db, account.workspaceId, { ...period, by: 'day' }, 3), { code: 'limit_reached' });
    assert.equal((await sumUsage(app.deps.db, account.workspaceId, { ...period, by: 'day' }, 4)).length, 1);
  });
});
