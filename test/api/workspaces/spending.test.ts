import assert from 'node:assert/strict';
import { select } from '../../../models/db/database.js';
import { acceptOne } from '../../../models/operations/messages/accept-one.js';
import { buildUndecided } from '../../support/rows/factories.js';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { balanceOf } from '../../support/rows/messages.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';
import { inOneDay } from '../../support/parts/one-day.js';
import { prices } from '../../support/prices.js';
import { toCredits } from '../../../models/rules/billing/credits.js';

const path = '/api/v1/workspace';
const sms = { to: '+15551234567', channel: 'sms', content: { text: 'x' } };

describe('the limit of the day', () => {
  const app = useApi();
  let account: Account;
  beforeEach(inOneDay);
  beforeEach(async () => {
    account = await app.account({ balance: 1_000_000 });
  });
  afterEach(() => assertBooks(app.deps.db));

  /** @param thousandths of a credit; null: no limit */
  const limit = (thousandths: number | null) => {
    const spend_limit_day = thousandths === null ? null : toCredits(thousandths);
    return app.call('PUT', path, { jwt: account.jwt, body: { spend_limit_day } });
  };
  const send = (body: object = sms) => app.call('POST', '/api/v1/messages/send', { key: account.key, body });
  const bulk = (count: number) => {
    const recipients = Array.from({ length: count }, (_, index) => `+1555${1_000_000 + index}`);
    return app.call('POST', '/api/v1/messages/bulk', { key: account.key, body: { channel: 'sms', content: { text: 'x' }, recipients } });
  };
  const cancel = (id: string) => app.call('POST', `/api/v1/messages/${id}/cancel`, { key: account.key });
  const spent = async () => 1_000_000 - ((await balanceOf(app.deps.db, account.workspaceId)) ?? 0);

  it('402 spend_limit for a send above the limit of the day, and nothing is charged', async () => {
    assert.equal((await limit(prices.sms + prices.whatsapp)).status, 200);
    assert.equal((await send()).status, 201);
    const refused = await send();
    assert.deepEqual([refused.status, refused.body.error, refused.body.code], [402, 'Daily spending limit reached', 'spend_limit']);
    assert.equal((await send({ ...sms, channel: 'whatsapp' })).status, 201, 'what still fits is sent');
    assert.deepEqual(
      [await spent(), (await app.call('GET', '/api/v1/messages', { key: account.key })).body.data.pagination.total],
      [prices.sms + prices.whatsapp, 2],
    );
    await limit(null);
    assert.equal((await send()).status, 201);
  });

  it('402 for a batch that exceeds the limit of the day as a whole', async () => {
    await limit(10 * prices.sms);
    const refused = await bulk(11);
    assert.deepEqual([refused.status, refused.body.code, await spent()], [402, 'spend_limit', 0]);
    assert.equal((await bulk(10)).status, 201);
    assert.equal((await bulk(1)).status, 402);
  });

  it('402 insufficient_credits before the limit of the day', async () => {
    await limit(prices.sms);
    const { status, body } = await bulk(2_000);
    assert.deepEqual([status, body.code], [402, 'insufficient_credits']);
  });

  it('402 exactly above the limit of the day for parallel sends and batches', async () => {
    await limit(100 * prices.sms);
    const answers = await Promise.all(
      Array.from({ length: Number(process.env.PARALLEL_SENDS ?? 240) }, (_, index) => (index % 40 === 39 ? bulk(3) : send())),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201, 402]));
    assert.deepEqual([...new Set(answers.filter(({ status }) => status === 402).map(({ body }) => body.code))], ['spend_limit']);
    assert.equal(await spent(), 100 * prices.sms);
  });

  it('messages of many groups are accepted up to the limit, and none above it', async () => {
    await limit(5_000);
    const rows = await Promise.all(Array.from({ length: 20 }, () => buildUndecided(app.deps.db, account.workspaceId)));
    await Promise.all(rows.map(({ group_id }) => acceptOne(app.deps.db, group_id)));
    assert.equal(await spent(), 5_000);
    await select(app.deps.db, `DELETE FROM messages WHERE status = 'accepting'`);
  });

  it('201 for a send for which a refund of the same day makes room', async () => {
    await limit(prices.sms);
    const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await send({ ...sms, scheduled_at });
    assert.equal((await send()).status, 402);
    assert.equal((await cancel(body.data.message.id)).status, 200);
    assert.equal((await send()).status, 201);
    assert.equal((await send()).status, 402);
  });

  it('the limit of the day starts again each day, without refunds of the day before', async () => {
    await limit(prices.sms);
    const { body } = await send({ ...sms, scheduled_at: new Date(Date.now() + 3_600_000).toISOString() });
    await aDayLater();
    assert.equal((await send()).status, 201);
    assert.equal((await cancel(body.data.message.id)).status, 200);
    assert.equal((await send()).status, 402);
  });

  /** As if all that was done so far had been done yesterday. */
  async function aDayLater(): Promise<void> {
    const { db } = app.deps;
    await select(db, 'UPDATE workspaces SET spend_day = spend_day - 1 WHERE id = $1', [account.workspaceId]);
    await db.transaction(async (transaction) => {
      await select(db, 'ALTER TABLE credit_entries DISABLE TRIGGER credit_entries_append_only', [], transaction);
      const back = `UPDATE credit_entries SET created_at = created_at - interval '1 day' WHERE workspace_id = $1`;
      await select(db, back, [account.workspaceId], transaction);
      await select(db, 'ALTER TABLE credit_entries ENABLE TRIGGER credit_entries_append_only', [], transaction);
    });
  }
});
