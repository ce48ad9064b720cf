import assert from 'node:assert/strict';
import { select } from '../../../models/db/database.js';
import { until } from '../../support/client.js';
import { acceptBatch, buildBatch } from '../../support/rows/batches.js';
import { buildWebhook } from '../../support/rows/factories.js';
import { acceptedAs, buildClaimed, buildSent, eventsOf, messageOf, statusOf } from '../../support/rows/messages.js';
import { recordHandoffs } from '../../support/rows/reports.js';
import { erasuresForEach } from './erasures-stage.js';
import { whileReplaced } from '../start-app.js';
import { prices } from '../../support/prices.js';
import { toCredits } from '../../../models/rules/billing/credits.js';

const path = '/api/v1/erasures';
const openTransactions = `
  SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND backend_xid IS NOT NULL AND pid <> pg_backend_pid()`;

describe('erasures', () => {
  const stage = erasuresForEach();
  const { send, sms, ask, shownErasure, finishErasures, runErasuresOnce, runErasuresAgain, placesOfRecipient, reportEnd, succeed } = stage;

  it('an erasure removes all data of the recipient, and keeps id, status, times and price', async () => {
    const webhook = await buildWebhook(stage.account.workspaceId, 'https://one.example.test/');
    const message = await buildSent(stage.db, stage.account.workspaceId, {
      ...sms(),
      channel: 'sms',
      idempotency_key: `otp-${stage.to}`,
    });
    await reportEnd(message);
    await succeed();
    await select(
      stage.db,
      `INSERT INTO delivery_attempts (delivery_id, number, at, trigger, duration_ms, response_body, response_headers)
       SELECT id, 1, now(), 'scheduled', 5, $1, json_build_object('x-echo', $1::text) FROM deliveries WHERE webhook_id = $2`,
      [`you said ${stage.to}`, webhook.row.id],
    );
    await select(stage.db, 'UPDATE send_attempts SET detail = $1', [`took ${stage.to}`]);
    await stage.app.call('POST', '/api/v1/contacts', {
      key: stage.account.key,
      body: { name: 'Ada', phone: stage.to, tags: [stage.to], custom_fields: { to: stage.to } },
    });
    assert.ok((await placesOfRecipient()).length >= 10, (await placesOfRecipient()).join());
    const before = await messageOf(stage.db, message.id);
    const id = await ask();
    assert.deepEqual(await shownErasure(id), ['running', 0]);
    assert.equal(await finishErasures(), 1);
    assert.deepEqual([await shownErasure(id), await placesOfRecipient()], [['completed', 1], []]);
    const { body } = await stage.app.call('GET', `/api/v1/messages/${message.id}`, { key: stage.account.key });
    const { to: shownTo, content, metadata, reference, status, credits_used, created_at, delivered_at } = body.data.message;
    assert.deepEqual([shownTo, content, metadata, reference, status, credits_used], [null, null, null, null, 'delivered', 1]);
    assert.deepEqual([created_at, delivered_at], [before.created_at.toISOString(), before.delivered_at?.toISOString()]);
    assert.equal((await stage.app.call('GET', `/api/v1/messages/${message.id}/timeline`, { key: stage.account.key })).status, 200);
    assert.deepEqual((await stage.app.call('GET', '/api/v1/contacts', { key: stage.account.key })).body.data.contacts, []);
  });

  it('erasures keep the data of other recipients and workspaces', async () => {
    const other = await stage.app.account();
    const theirs = await buildSent(stage.db, other.workspaceId, { to: stage.to });
    await reportEnd(theirs);
    const mine = await buildSent(stage.db, stage.account.workspaceId, { to: '+15559999999' });
    await reportEnd(mine);
    await ask();
    await finishErasures();
    assert.deepEqual([(await messageOf(stage.db, theirs.id)).to, (await messageOf(stage.db, mine.id)).to], [stage.to, '+15559999999']);
  });

  it('erasures cancel and refund waiting messages, also of batches and schedules', async () => {
    await buildWebhook(stage.account.workspaceId, 'https://one.example.test/');
    const { body } = await send({ ...sms(), scheduled_at: new Date(Date.now() + 3_600_000).toISOString() });
    const bulk = { channel: 'sms', content: { text: 'x' }, recipients: [stage.to, '+15559999998'] };
    const batch = (await stage.app.call('POST', '/api/v1/messages/bulk', { key: stage.account.key, body: bulk })).body.data.batch;
    const id = await ask();
    await finishErasures();
    assert.deepEqual(await shownErasure(id), ['running', 0], 'their events are not delivered yet');
    await succeed();
    await runErasuresAgain();
    assert.deepEqual([await shownErasure(id), await placesOfRecipient()], [['completed', 2], []]);
    const scheduled = body.data.message.id;
    assert.deepEqual(
      [await statusOf(stage.db, scheduled), await eventsOf(stage.db, scheduled)],
      ['failed/cancelled', ['queued', 'failed']],
    );
    const { counts, credits_used } = (await stage.app.call('GET', `/api/v1/messages/bulk/${batch.id}`, { key: stage.account.key })).body
      .data.batch;
    assert.deepEqual([counts.failed, counts.queued, credits_used], [1, 1, toCredits(prices.sms)]);
  });

  it('erasures wait for messages in progress, and erase them when they end', async () => {
    const claim = await buildClaimed(stage.db, stage.account.workspaceId, { to: stage.to });
    const id = await ask();
    await finishErasures();
    assert.deepEqual(await shownErasure(id), ['running', 0]);
    await recordHandoffs(stage.db, [acceptedAs(claim)]);
    await runErasuresAgain();
    assert.deepEqual(await shownErasure(id), ['running', 0]);
    await reportEnd(await messageOf(stage.db, claim.id));
    await runErasuresAgain();
    assert.deepEqual([await shownErasure(id), await placesOfRecipient()], [['completed', 1], []]);
  });

  it('erasures include messages that were being stored meanwhile', async () => {
    let store = () => {};
    const held = new Promise<void>((resolve) => (store = resolve));
    const batch = buildBatch(stage.db, stage.account.workspaceId, [1], { to: stage.to, held });
    await until(async () => (await select(stage.db, openTransactions)).length > 0, 'the transaction is open');
    const id = await ask();
    await runErasuresOnce();
    assert.deepEqual(await shownErasure(id), ['running', 0]);
    store();
    const { id: batchId, pages } = await batch;
    await acceptBatch(stage.db, batchId);
    await finishErasures();
    assert.equal(await statusOf(stage.db, pages[0]?.ids[0] ?? ''), 'failed/cancelled');
    await runErasuresAgain();
    assert.deepEqual([await shownErasure(id), await placesOfRecipient()], [['completed', 1], []]);
  });

  it('erasures include messages that began to be stored after the request, when no other transaction ends meanwhile', async () => {
    const before = new Date();
    const id = await ask();
    let store = () => {};
    const held = new Promise<void>((resolve) => (store = resolve));
    const batch = buildBatch(stage.db, stage.account.workspaceId, [1], { to: stage.to, created_at: before, held });
    await until(async () => (await select(stage.db, openTransactions)).length > 0, 'the transaction is open');
    await runErasuresOnce();
    assert.deepEqual(await shownErasure(id), ['running', 0]);
    store();
    await acceptBatch(stage.db, (await batch).id);
    await finishErasures();
    await runErasuresAgain();
    assert.deepEqual([await shownErasure(id), await placesOfRecipient()], [['completed', 1], []]);
  });

  it('an erasure walks twice from the top when a process of the former version ended the first walk', async () => {
    const former = `
      UPDATE erasures SET walked_at = now(), place = '00000000-0000-0000-0000-000000000000', rewalk_after = NULL WHERE id = $1`;
    const id = await ask();
    await reportEnd(await buildSent(stage.db, stage.account.workspaceId, { to: stage.to }));
    await select(stage.db, 'UPDATE messages SET created_at = now() - interval \'1 minute\' WHERE "to" = $1', [stage.to]);
    await select(stage.db, former, [id]);
    await finishErasures();
    assert.deepEqual([await shownErasure(id), await placesOfRecipient()], [['completed', 1], []]);
  });

  it('an erasure continues after a killed process', async () => {
    for (let count = 0; count < 3; count += 1) await reportEnd(await buildSent(stage.db, stage.account.workspaceId, { to: stage.to }));
    const id = await ask();
    const before = stage.db.transaction.bind(stage.db);
    let calls = 0;
    // Dies after the commit that erased the messages, before it could note how far it came.
    const dying = (async (...args: Parameters<typeof before>) => {
      const result = await before(...args);
      calls += 1;
      if (calls === 2) throw new Error('killed');
      return result;
    }) as typeof before;
    await whileReplaced(stage.db, 'transaction', dying, () => assert.rejects(runErasuresOnce(), /killed/));
    await select(stage.db, 'UPDATE erasures SET failed_at = NULL'); // a process that was killed notes no failure
    await finishErasures();
    assert.deepEqual([await shownErasure(id), await placesOfRecipient()], [['completed', 3], []]);
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
    await finishErasures();
  });

  it('erasures do not delay other workspaces', async () => {
    await Promise.all(Array.from({ length: 30 }, () => ask()));
    stage.account = await stage.app.account();
    const id = await ask();
    await finishErasures();
    assert.deepEqual(await shownErasure(id), ['completed', 0]);
    for (let left = 3; left > 0; left -= 1) await finishErasures();
  });
});
