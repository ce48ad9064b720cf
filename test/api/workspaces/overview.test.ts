import assert from 'node:assert/strict';
import { failureCodes } from '../../../models/rules/messages/error-codes.js';
import { deleteOldHours, rollUpChanges } from '../../../models/operations/workspaces/roll-up-changes.js';
import { rows } from '../../support/database.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';

const dayMs = 86_400_000;

describe('GET /overview', () => {
  const app = useApi();
  let account: Account;
  beforeEach(async () => {
    account = await app.account({ balance: 10_000 });
  });
  const send = (more: object = {}) =>
    app.call('POST', '/api/v1/messages/send', {
      key: account.key,
      body: { to: '+15551234567', channel: 'sms', content: { text: 'Hello' }, ...more },
    });
  const overview = async (query = '') => {
    await rollUpChanges(app.deps.db, Date.now() + 10_000);
    return app.call('GET', `/api/v1/overview${query}`, { jwt: account.jwt });
  };
  const ago = (days: number) => new Date(Date.now() - days * dayMs).toISOString();

  it('200 for the overview with sums, parts by channel, the balance and how long it lasts', async () => {
    await send();
    await send({ content: { text: 'x'.repeat(200) } });
    await send({ to: 'ada@example.com', channel: 'email' });
    const { status, body } = await overview();
    const { from, to, parts, ...sums } = body.data;
    assert.equal(status, 200);
    assert.deepEqual(sums, {
      by: 'day',
      messages: 3,
      delivered: 0,
      failed: 0,
      credits: 3.1,
      delivery_p50_ms: null,
      delivery_p95_ms: null,
      failures: [],
      balance: 6.9,
      days_left: 2.2,
    });
    assert.deepEqual(
      parts.map(({ channel, messages, credits }: { channel: string; messages: number; credits: number }) => [channel, messages, credits]),
      [
        ['email', 1, 0.1],
        ['sms', 2, 3],
      ],
    );
    assert.deepEqual([from.slice(10), Date.parse(to) - Date.parse(from) >= 7 * dayMs], ['T00:00:00.000Z', true]);
  });

  it('each failure code of the overview has a description in words', async () => {
    const add = `INSERT INTO message_rollups (workspace_id, unit, at, channel, measure, key, count)
      SELECT $1, 'day', date_trunc('day', now(), 'UTC'), 'sms', 'reason', code, 1 FROM unnest($2::text[]) AS code`;
    await rows(app.deps.db, add, [account.workspaceId, failureCodes]);
    const { failures }: { failures: { error_code: string; description: string }[] } = (await overview()).body.data;
    assert.deepEqual(failures.map(({ error_code: code }) => code).toSorted(), [...failureCodes].toSorted());
    for (const { error_code: code, description } of failures) assert.match(description, /^[A-Z].* .*\w$/, code);
  });

  it('the pace is that of the age of the workspace, of at least a day and at most seven', async () => {
    await send({ content: { text: 'x'.repeat(200) } });
    const daysLeft = async (age: string) => {
      await rows(app.deps.db, 'UPDATE workspaces SET created_at = now() - $2::interval WHERE id = $1', [account.workspaceId, age]);
      return (await overview()).body.data.days_left;
    };
    assert.deepEqual([await daysLeft('1 minute'), await daysLeft('3 days'), await daysLeft('1 year')], [4, 12, 28]);
  });

  it('200 for the overview of a workspace without messages, and nothing of another one', async () => {
    await send();
    account = await app.account();
    const { status, body } = await overview();
    assert.deepEqual([status, body.data.messages, body.data.parts, body.data.days_left], [200, 0, [], null]);
  });

  it('the overview is by hour up to two days, by day above that, and as asked', async () => {
    const by = async (query: string) => {
      const { status, body } = await overview(query);
      assert.equal(status, 200);
      return body.data.by;
    };
    assert.equal(await by(`?from=${ago(1)}`), 'hour');
    assert.equal(await by(`?from=${ago(3)}`), 'day');
    assert.equal(await by(`?from=${ago(3)}&by=hour`), 'hour');
    assert.equal(await by(`?from=${ago(365)}`), 'day');
  });

  it('the overview by hour for the last 35 days has the whole of its first hour', async () => {
    const from = new Date(Date.now() - 35 * dayMs + 300_000); // the request takes less than five minutes
    const hour = new Date(Math.floor(from.getTime() / 3_600_000) * 3_600_000);
    const add = `INSERT INTO message_rollups (workspace_id, unit, at, channel, measure, key, count) VALUES ($1, 'hour', $2, 'sms', 'messages', '', 3)`;
    await rows(app.deps.db, add, [account.workspaceId, hour]);
    await rows(app.deps.db, add, [account.workspaceId, new Date(hour.getTime() - 1)]); // not in that hour, whenever the test runs
    await rows(app.deps.db, add, [account.workspaceId, new Date(from.getTime() - 4_200_000)]);
    assert.equal(await deleteOldHours(app.deps.db), true);
    const { body } = await overview(`?from=${from.toISOString()}&by=hour`);
    assert.deepEqual([body.data.from, body.data.messages], [hour.toISOString(), 3]);
    assert.equal((await rows(app.deps.db, 'SELECT 1 FROM message_rollups WHERE workspace_id = $1', [account.workspaceId])).length, 2);
  });

  it('400 for an overview whose period is too long, turned round, or has no sums by hour', async () => {
    for (const [query, text] of [
      [`?from=${ago(400)}`, 'from and to must be at most 366 days apart'],
      [`?from=${ago(1)}&to=${ago(2)}`, 'to must not be before from'],
      [`?from=${ago(60)}&by=hour`, 'by=hour is kept for 35 days'],
      ['?from=yesterday', 'Invalid date format'],
      ['?by=week', 'Invalid by. Must be one of: hour, day'],
    ] as const) {
      const { status, body } = await overview(query);
      assert.deepEqual([status, body.error], [400, text]);
    }
  });

  it('the overview reads sums, and no messages', async () => {
    await send();
    await overview();
    await rows(app.deps.db, 'DELETE FROM messages WHERE workspace_id = $1', [account.workspaceId]);
    assert.equal((await overview()).body.data.messages, 1);
  });
});
