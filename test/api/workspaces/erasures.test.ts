import assert from 'node:assert/strict';
import { select } from '../../../models/db/database.js';
import { until } from '../../support/client.js';
import { acceptBatch, buildBatch } from '../../support/rows/batches.js';
import { buildWebhook } from '../../support/rows/factories.js';
import { acceptedAs, buildClaimed, buildSent, eventsOf, messageOf, statusOf } from '../../support/rows/messages.js';
import { recordHandoffs } from '../../support/rows/reports.js';
import { erasuresForEach } from './erasures-stage.js';
import { prices } from '../../support/prices.js';
import { toCredits } from '../../../models/rules/billing/credits.js';

const path = '/api/v1/erasures';
const openTransactions = `
  SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND backend_xid IS NOT NULL AND pid <> pg_backend_pid()`;

describe('erasures', () => {
  const stage = erasuresForEach();
  const { send, sms, ask, shown, run, runOnce, runAgain, found, end, succeed } = stage;

  it('an erasure removes all data of the recipient, and keeps id, status, times and price', async () => {
    const webhook = await buildWebhook(stage.account.workspaceId, 'https://one.example.test/');
    const message = await buildSent(stage.app.deps.db, stage.account.workspaceId, {
      ...sms(),
      channel: 'sms',
      idempotency_key: `otp-${stage.to}`,
    });
    await end(message);
    await succeed();
    await select(
      stage.app.deps.db,
      `INSERT INTO delivery_attempts (delivery_id, number, at, trigger, duration_ms, response_body, response_headers)
       SELECT id, 1, now(), 'scheduled', 5, $1, json_build_object('x-echo', $1::text) FROM deliveries WHERE webhook_id = $2`,
      [`you said ${stage.to}`, webhook.row.id],
    );
    await select(stage.app.deps.db, 'UPDATE send_attempts SET detail = $1', [`took ${stage.to}`]);
    await stage.app.call('POST', '/api/v1/contacts', {
      key: stage.account.key,
      body: { name: 'Ada', phone: stage.to, tags: [stage.to], custom_fields: { to: stage.to } },
    });
    assert.ok((await found()).length >= 10, (await found()).join());
    const before = await messageOf(stage.app.deps.db, message.id);
    const id = await ask();
    assert.deepEqual(await shown(id), ['running', 0]);
    assert.equal(await run(), 1);
    assert.deepEqual([await shown(id), await found()], [['completed', 1], []]);
    const { body } = await stage.app.call('GET', `/api/v1/messages/${message.id}`, { key: stage.account.key });
    const { to: shownTo, content, metadata, reference, status, credits_used, created_at, delivered_at } = body.data.message;
    assert.deepEqual([shownTo, content, metadata, reference, status, credits_used], [null, null, null, null, 'delivered', 1]);
    assert.deepEqual([created_at, delivered_at], [before.created_at.toISOString(), before.delivered_at?.toISOString()]);
    assert.equal((await stage.app.call('GET', `/api/v1/messages/${message.id}/timeline`, { key: stage.account.key })).status, 200);
    assert.deepEqual((await stage.app.call('GET', '/api/v1/contacts', { key: stage.account.key })).body.data.contacts, []);
  });

  it('erasures keep the data of other recipients and workspaces', async () => {
    const other = await stage.app.account();
    const theirs = await buildSent(stage.app.deps.db, other.workspaceId, { to: stage.to });
    await end(theirs);
    const mine = await buildSent(stage.app.deps.db, stage.account.workspaceId, { to: '+15559999999' });
    await end(mine);
    await ask();
    await run();
    assert.deepEqual(
      [(await messageOf(stage.app.deps.db, theirs.id)).to, (await messageOf(stage.app.deps.db, mine.id)).to],
      [stage.to, '+15559999999'],
    );
  });

  it('erasures cancel and refund waiting messages, also of batches and schedules', async () => {
    await buildWebhook(stage.account.workspaceId, 'https://one.example.test/');
    const { body } = await send({ ...sms(), scheduled_at: new Date(Date.now() + 3_600_000).toISOString() });
    const bulk = { channel: 'sms', content: { text: 'x' }, recipients: [stage.to, '+15559999998'] };
    const batch = (await stage.app.call('POST', '/api/v1/messages/bulk', { key: stage.account.key, body: bulk })).body.data.batch;
    const id = await ask();
    await run();
    assert.deepEqual(await shown(id), ['running', 0], 'their events are not delivered yet');
    await succeed();
    await runAgain();
    assert.deepEqual([await shown(id), await found()], [['completed', 2], []]);
    const scheduled = body.data.message.id;
    assert.deepEqual(
      [await statusOf(stage.app.deps.db, scheduled), await eventsOf(stage.app.deps.db, scheduled)],
      ['failed/cancelled', ['queued', 'failed']],
    );
    const { counts, credits_used } = (await stage.app.call('GET', `/api/v1/messages/bulk/${batch.id}`, { key: stage.account.key })).body
      .data.batch;
    assert.deepEqual([counts.failed, counts.queued, credits_used], [1, 1, toCredits(prices.sms)]);
  });

  it('erasures wait for messages in progress, and erase them when they end', async () => {
    const claim = await buildClaimed(stage.app.deps.db, stage.account.workspaceId, { to: stage.to });
    const id = await ask();
    await run();
    assert.deepEqual(await shown(id), ['running', 0]);
    await recordHandoffs(stage.app.deps.db, [acceptedAs(claim)]);
    await runAgain();
    assert.deepEqual(await shown(id), ['running', 0]);
    await end(await messageOf(stage.app.deps.db, claim.id));
    await runAgain();
    assert.deepEqual([await shown(id), await found()], [['completed', 1], []]);
  });

  it('erasures include messages that were being stored meanwhile', async () => {
    let store = () => {};
    const held = new Promise<void>((resolve) => (store = resolve));
    const batch = buildBatch(stage.app.deps.db, stage.account.workspaceId, [1], { to: stage.to, held });
    await until(async () => (await select(stage.app.deps.db, openTransactions)).length > 0, 'the transaction is open');
    const id = await ask();
    await runOnce();
    assert.deepEqual(await shown(id), ['running', 0]);
    store();
    const { id: batchId, pages } = await batch;
    await acceptBatch(stage.app.deps.db, batchId);
    await run();
    assert.equal(await statusOf(stage.app.deps.db, pages[0]?.ids[0] ?? ''), 'failed/cancelled');
    await runAgain();
    assert.deepEqual([await shown(id), await found()], [['completed', 1], []]);
  });

  it('erasures include messages that began to be stored after the request, when no other transaction ends meanwhile', async () => {
    const before = new Date();
    const id = await ask();
    let store = () => {};
    const held = new Promise<void>((resolve) => (store = resolve));
    const batch = buildBatch(stage.app.deps.db, stage.account.workspaceId, [1], { to: stage.to, created_at: before, held });
    await until(async () => (await select(stage.app.deps.db, openTransactions)).length > 0, 'the transaction is open');
    await runOnce();
    assert.deepEqual(await shown(id), ['running', 0]);
    store();
    await acceptBatch(stage.app.deps.db, (await batch).id);
    await run();
    await runAgain();
    assert.deepEqual([await shown(id), await found()], [['completed', 1], []]);
  });

  it('an erasure walks twice from the top when a process of the former version ended the first walk', async () => {
    const former = `
      UPDATE erasures SET walked_at = now(), place = '00000000-0000-0000-0000-000000000000', rewalk_after = NULL WHERE id = $1`;
    const id = await ask();
    await end(await buildSent(stage.app.deps.db, stage.account.workspaceId, { to: stage.to }));
    await select(stage.app.deps.db, 'UPDATE messages SET created_at = now() - interval \'1 minute\' WHERE "to" = $1', [stage.to]);
    await select(stage.app.deps.db, former, [id]);
    await run();
    assert.deepEqual([await shown(id), await found()], [['completed', 1], []]);
  });

  it('an erasure continues after a killed process', async () => {
    for (let count = 0; count < 3; count += 1) await end(await buildSent(stage.app.deps.db, stage.account.workspaceId, { to: stage.to }));
    const id = await ask();
    const before = stage.app.deps.db.transaction.bind(stage.app.deps.db);
    let calls = 0;
    // Dies after the commit that erased the messages, before it could note how far it came.
    stage.app.deps.db.transaction = (async (...args: Parameters<typeof before>) => {
      const result = await before(...args);
      calls += 1;
      if (calls === 2) throw new Error('killed');
      return result;
    }) as typeof before;
    await assert.rejects(runOnce(), /killed/);
    stage.app.deps.db.transaction = before;
    await select(stage.app.deps.db, 'UPDATE erasures SET failed_at = NULL'); // a process that was killed notes no failure
    await run();
    assert.deepEqual([await shown(id), await found()], [['completed', 3], []]);
  });

  for (const [body, error] of [
    [{}, 'Missing required field: to'],
    [{ to: '555' }, 'Phone number must be in E.164 format'],
    [{ to: 'a@' }, 'Invalid email address'],
  ] as const) {
    it(`an erasure with wrong fields gets 400 ${error}`, async () => {
      const answer = await stage.app.call('POST', path, { jwt: stage.account.jwt, body });
      assert.deepEqual([answer.status, answer.body.error], [400, error]);
    });
  }

  it('404 for an erasure of another workspace, and 403 without manage_contacts', async () => {
    const id = await ask();
    const other = await stage.app.account({ scopes: ['send_messages'] });
    const { status, body } = await stage.app.call('GET', `${path}/${id}`, { jwt: other.jwt });
    assert.deepEqual([status, body.error], [404, 'Erasure not found']);
    assert.equal((await stage.app.call('POST', path, { key: other.key, body: { to: stage.to } })).status, 403);
    await run();
  });

  it('erasures do not delay other workspaces', async () => {
    await Promise.all(Array.from({ length: 30 }, () => ask()));
    stage.account = await stage.app.account();
    const id = await ask();
    await run();
    assert.deepEqual(await shown(id), ['completed', 0]);
    for (let left = 3; left > 0; left -= 1) await run();
  });
});
