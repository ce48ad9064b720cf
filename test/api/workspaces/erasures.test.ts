import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { select } from '../../../models/database.js';
import { applyReports } from '../../../models/operations/apply-reports.js';
import { claimHandoffs } from '../../../models/operations/claim-handoffs.js';
import { erasureKey } from '../../../models/operations/erasure/erasure-key.js';
import { runErasures } from '../../../models/operations/erasure/run-erasures.js';
import { fallBack } from '../../../models/operations/fall-back.js';
import { recordHandoffs } from '../../../models/operations/record-handoffs.js';
import { recordReports } from '../../../models/operations/record-reports.js';
import { signSandboxCallback } from '../../../models/rules/callbacks/sandbox.js';
import { unsubscribeToken } from '../../../models/rules/unsubscribe.js';
import { workflowIds } from '../../../workflows/contract.js';
import { buildWebhook } from '../../support/factories.js';
import { findInDatabase } from '../../support/find-anywhere.js';
import { assertBooks } from '../../support/invariants.js';
import { acceptedAs, buildClaimed, buildSent, eventsOf, messageOf, reportOf, sandboxEverywhere, statusOf } from '../../support/messages.js';
import { type Account, startApp, type TestApp } from '../start-app.js';

const path = '/api/v1/erasures';
let lastNumber = 4_000_000;

describe('erasures', () => {
  let app: TestApp;
  let account: Account;
  /** Somebody whom no other test knows. */
  let to: string;
  before(async () => {
    app = await startApp();
  });
  beforeEach(async () => {
    account = await app.account();
    lastNumber += 1;
    to = `+1555${lastNumber}`;
  });
  afterEach(() => assertBooks(app.deps.db));
  after(() => app.close());

  const send = (body: object, headers = {}) => app.call('POST', '/api/v1/messages/send', { key: account.key, body, headers });
  const sms = () => ({ to, channel: 'sms', content: { text: `Hello ${to}` }, metadata: { to }, reference: to });
  const ask = async (recipient = to) => {
    const { status, body } = await app.call('POST', path, { key: account.key, body: { to: recipient } });
    assert.equal(status, 202);
    return body.data.erasure.id as string;
  };
  const shown = async (id: string) => {
    const { status, messages } = (await app.call('GET', `${path}/${id}`, { jwt: account.jwt })).body.data.erasure;
    return [status, messages];
  };
  const run = async () => runErasures(app.deps.db, await erasureKey(app.deps.db, app.deps.config.secretKeys), Date.now() + 20_000);
  /** As if the pause before the next look were over. */
  const runAgain = async () => {
    await select(app.deps.db, 'UPDATE erasure_queue SET look_at = now()');
    return run();
  };
  const found = (text = to) => findInDatabase(app.deps.db, text.replace('+', ''));
  const end = async (
    message: { id: string; group_id: string; provider_message_id: string | null },
    status: 'delivered' | 'failed' = 'delivered',
  ) => {
    await recordReports(app.deps.db, [reportOf(message, status, { raw: `To=${to}` })]);
    await applyReports(app.deps.db, message.group_id);
  };
  const succeed = () => select(app.deps.db, `UPDATE deliveries SET status = 'succeeded' WHERE status = 'pending'`);
  const say = async (text: string) => {
    const body = JSON.stringify({
      inbound: [{ id: uuidv7(), channel: 'sms', from: to, to: '+15550000000', text, occurred_at: new Date() }],
    });
    const headers = signSandboxCallback(app.deps.config.secretKey, body);
    assert.equal((await app.call('POST', '/callbacks/sandbox', { body, headers })).status, 200);
  };
  const suppressions = async () => (await app.call('GET', '/api/v1/suppressions', { key: account.key })).body.data.suppressions;
  const claimNew = async () => {
    const { body } = await send(sms());
    const key = await erasureKey(app.deps.db, app.deps.config.secretKeys);
    const { id } = body.data.message;
    await claimHandoffs(app.deps.db, (await messageOf(app.deps.db, id)).group_id, sandboxEverywhere, { erasureKey: key });
    return statusOf(app.deps.db, id);
  };

  it('leave nothing of the recipient anywhere; the row stays with its id, status, times and price', async () => {
    const webhook = await buildWebhook(account.workspaceId, 'https://one.example.test/');
    const message = await buildSent(app.deps.db, account.workspaceId, { ...sms(), channel: 'sms', idempotency_key: `otp-${to}` });
    await end(message);
    await succeed();
    await select(
      app.deps.db,
      `INSERT INTO delivery_attempts (delivery_id, number, at, trigger, duration_ms, response_body, response_headers)
       SELECT id, 1, now(), 'scheduled', 5, $1, json_build_object('x-echo', $1::text) FROM deliveries WHERE webhook_id = $2`,
      [`you said ${to}`, webhook.row.id],
    );
    await select(app.deps.db, 'UPDATE send_attempts SET detail = $1', [`took ${to}`]);
    await app.call('POST', '/api/v1/contacts', { key: account.key, body: { name: 'Ada', phone: to, tags: [to], custom_fields: { to } } });
    assert.ok((await found()).length >= 10, (await found()).join());
    const before = await messageOf(app.deps.db, message.id);
    const id = await ask();
    assert.deepEqual(await shown(id), ['running', 0]);
    assert.equal(await run(), 1);
    assert.deepEqual([await shown(id), await found()], [['completed', 1], []]);
    const { body } = await app.call('GET', `/api/v1/messages/${message.id}`, { key: account.key });
    const { to: shownTo, content, metadata, reference, status, credits_used, created_at, delivered_at } = body.data.message;
    assert.deepEqual([shownTo, content, metadata, reference, status, credits_used], [null, null, null, null, 'delivered', 1]);
    assert.deepEqual([created_at, delivered_at], [before.created_at.toISOString(), before.delivered_at?.toISOString()]);
    assert.equal((await app.call('GET', `/api/v1/messages/${message.id}/timeline`, { key: account.key })).status, 200);
    assert.deepEqual((await app.call('GET', '/api/v1/contacts', { key: account.key })).body.data.contacts, []);
  });

  it('leave what other recipients and other workspaces have', async () => {
    const other = await app.account();
    const theirs = await buildSent(app.deps.db, other.workspaceId, { to });
    await end(theirs);
    const mine = await buildSent(app.deps.db, account.workspaceId, { to: '+15559999999' });
    await end(mine);
    await ask();
    await run();
    assert.deepEqual([(await messageOf(app.deps.db, theirs.id)).to, (await messageOf(app.deps.db, mine.id)).to], [to, '+15559999999']);
  });

  it('cancel what was not handed off, refunded and told; of batches and of schedules too', async () => {
    await buildWebhook(account.workspaceId, 'https://one.example.test/');
    const { body } = await send({ ...sms(), scheduled_at: new Date(Date.now() + 3_600_000).toISOString() });
    const bulk = { channel: 'sms', content: { text: 'x' }, recipients: [to, '+15559999998'] };
    const batch = (await app.call('POST', '/api/v1/messages/bulk', { key: account.key, body: bulk })).body.data.batch;
    const id = await ask();
    await run();
    assert.deepEqual(await shown(id), ['running', 0], 'their events are not delivered yet');
    await succeed();
    await runAgain();
    assert.deepEqual([await shown(id), await found()], [['completed', 2], []]);
    const scheduled = body.data.message.id;
    assert.deepEqual(
      [await statusOf(app.deps.db, scheduled), await eventsOf(app.deps.db, scheduled)],
      ['failed/cancelled', ['queued', 'failed']],
    );
    const { counts, credits_used } = (await app.call('GET', `/api/v1/messages/bulk/${batch.id}`, { key: account.key })).body.data.batch;
    assert.deepEqual([counts.failed, counts.queued, credits_used], [1, 1, 1]);
  });

  it('wait for what is under way, and erase it when it ends', async () => {
    const claim = await buildClaimed(app.deps.db, account.workspaceId, { to });
    const id = await ask();
    await run();
    assert.deepEqual(await shown(id), ['running', 0]);
    await recordHandoffs(app.deps.db, [acceptedAs(claim)]);
    await runAgain();
    assert.deepEqual(await shown(id), ['running', 0]);
    await end(await messageOf(app.deps.db, claim.id));
    await runAgain();
    assert.deepEqual([await shown(id), await found()], [['completed', 1], []]);
  });

  it('go on where a killed process stopped', async () => {
    for (let count = 0; count < 3; count += 1) await end(await buildSent(app.deps.db, account.workspaceId, { to }));
    const id = await ask();
    const before = app.deps.db.transaction.bind(app.deps.db);
    let calls = 0;
    // Dies after the commit that erased the messages, before it could note how far it came.
    app.deps.db.transaction = (async (...args: Parameters<typeof before>) => {
      const result = await before(...args);
      calls += 1;
      if (calls === 2) throw new Error('killed');
      return result;
    }) as typeof before;
    await assert.rejects(run(), /killed/);
    app.deps.db.transaction = before;
    await run();
    assert.deepEqual([await shown(id), await found()], [['completed', 3], []]);
  });

  it('keep a suppression in force, for as long as the recipient wants it', async () => {
    await end(await buildSent(app.deps.db, account.workspaceId, { to }));
    await say('STOP');
    await ask();
    await run();
    assert.deepEqual(await found(), []);
    const [entry] = await suppressions();
    assert.deepEqual([entry.recipient, entry.reason, entry.source], [null, 'opt_out', 'inbound']);
    assert.equal(await claimNew(), 'failed/suppressed');
    assert.equal((await app.call('DELETE', `/api/v1/suppressions/${entry.id}`, { key: account.key })).status, 409);
    await say('START');
    assert.deepEqual(await suppressions(), []);
    assert.equal(await claimNew(), 'queued/sending');
  });

  it('let STOP and the link in a mail still count', async () => {
    await end(await buildSent(app.deps.db, account.workspaceId, { to }));
    const address = `Ada.${lastNumber}@Example.com`;
    const mail = await buildSent(app.deps.db, account.workspaceId, {
      to: address,
      channel: 'email',
      content: { text: 'x', unsubscribe: true },
    });
    await end(mail);
    for (const each of [to, address.toLowerCase()]) await ask(each);
    await run();
    assert.deepEqual([await found(), await found(address)], [[], []], 'letter case does not matter in addresses');
    await say('STOP');
    const token = unsubscribeToken(app.deps.config.secretKey, mail.id);
    assert.equal((await app.call('POST', `/unsubscribe/${token}`)).status, 200);
    assert.deepEqual(
      (await suppressions()).map(({ source, recipient }: { source: string; recipient: null }) => [source, recipient]),
      [
        ['unsubscribe', null],
        ['inbound', null],
      ],
    );
    assert.equal(await claimNew(), 'failed/suppressed');
  });

  it('make one entry of two, of which the one that is harder to take back stays', async () => {
    await end(await buildSent(app.deps.db, account.workspaceId, { to }));
    await say('STOP');
    await ask();
    await run();
    await app.call('POST', '/api/v1/suppressions', { key: account.key, body: { channel: 'sms', recipient: to } });
    await ask();
    await run();
    assert.deepEqual([(await suppressions()).map(({ source }: { source: string }) => source), await found()], [['inbound'], []]);
  });

  it('reach the steps of a chain, those too that were never sent', async () => {
    const address = `chain.${lastNumber}@example.com`;
    const { body } = await send({ ...sms(), fallback: [{ channel: 'email', to: address, after: 60 }] });
    const { id } = body.data.message;
    const [claim] = await claimHandoffs(app.deps.db, id, sandboxEverywhere);
    assert.ok(claim);
    await recordHandoffs(app.deps.db, [acceptedAs(claim)]);
    await end(await messageOf(app.deps.db, id));
    await ask(address);
    await ask();
    await run();
    assert.notDeepEqual(await found(), [], 'the chain is not decided');
    await fallBack(app.deps.db, id, true, workflowIds.message);
    await runAgain();
    assert.deepEqual([await found(), await found(address)], [[], []]);
    const { fallback } = (await app.call('GET', `/api/v1/messages/${id}`, { key: account.key })).body.data.message;
    assert.deepEqual(fallback.steps, [{ channel: 'email', to: null, after: 60 }]);
  });

  it('422 for a send that comes again under the key of one that was erased: it is not sent a second time', async () => {
    const headers = { 'Idempotency-Key': `key-${to}` };
    const { body } = await send(sms(), headers);
    await ask();
    await run();
    assert.deepEqual(await found(), []);
    assert.equal((await send(sms(), headers)).status, 422);
    assert.equal(await statusOf(app.deps.db, body.data.message.id), 'failed/cancelled');
  });

  it('keep nothing of a report that comes later', async () => {
    const message = await buildSent(app.deps.db, account.workspaceId, { to });
    await end(message, 'failed');
    await buildWebhook(account.workspaceId, 'https://one.example.test/');
    await ask();
    await run();
    await end(message);
    assert.deepEqual([await statusOf(app.deps.db, message.id), await found()], ['delivered/delivered', []]);
    const [event] = await select<{ body: string }>(app.deps.db, 'SELECT body FROM events WHERE message_id = $1', [message.id]);
    assert.equal(JSON.parse(event?.body ?? '').data.recipient, '');
  });

  it('forget what carriers said of messages that nobody knows', async () => {
    await recordReports(app.deps.db, [
      { ...reportOf({ id: uuidv7(), provider_message_id: uuidv7() }, 'delivered'), message_id: null, raw: `To=%2B${to.slice(1)}` },
    ]);
    await ask();
    await run();
    assert.deepEqual(await found(), []);
  });

  for (const [body, error] of [
    [{}, 'Missing required field: to'],
    [{ to: '555' }, 'Phone number must be in E.164 format'],
    [{ to: 'a@' }, 'Invalid email address'],
  ] as const) {
    it(`400 ${error}`, async () => {
      const answer = await app.call('POST', path, { jwt: account.jwt, body });
      assert.deepEqual([answer.status, answer.body.error], [400, error]);
    });
  }

  it('404 of another workspace, 403 without manage_contacts', async () => {
    const id = await ask();
    const other = await app.account({ scopes: ['send_messages'] });
    assert.deepEqual((await app.call('GET', `${path}/${id}`, { jwt: other.jwt })).body.error, 'Erasure not found');
    assert.equal((await app.call('POST', path, { key: other.key, body: { to } })).status, 403);
    await run();
  });

  it('of one workspace by the hundred keep nobody else waiting', async () => {
    await Promise.all(Array.from({ length: 30 }, () => ask()));
    account = await app.account();
    const id = await ask();
    await run();
    assert.deepEqual(await shown(id), ['completed', 0]);
    for (let left = 3; left > 0; left -= 1) await run();
  });
});
