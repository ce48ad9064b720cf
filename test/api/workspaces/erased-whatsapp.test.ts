/** Meta's ids of messages contain the recipient's number in base64. */
import assert from 'node:assert/strict';
import { applyReports } from '../../../models/operations/reports/apply-reports.js';
import { erasureKey } from '../../../models/operations/erasure/erasure-key.js';
import { recordHandoffs } from '../../../models/operations/handoff/record-handoffs.js';
import { replayReports } from '../../../models/operations/reports/replay-reports.js';
import { makeId } from '../../../models/rules/values/make-id.js';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { messageIdFor, metaEnv, notice } from '../../support/carriers/meta.js';
import { nowhere } from '../../support/carriers/counterpart.js';
import { until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { runErasures } from '../../support/rows/erasures.js';
import { buildQueued, buildWebhook } from '../../support/rows/factories.js';
import { findInDatabase } from '../../support/rows/find-anywhere.js';
import { acceptedAs, claimAll, messageOf, routedTo, statusOf } from '../../support/rows/messages.js';
import { useApi } from '../use-api.js';
import type { Account } from '../start-app.js';

const digits = '15558123457';
const to = `+${digits}`;

describe('an erased WhatsApp message', () => {
  const app = useApi({ env: metaEnv(nowhere) });
  let account: Account;
  let key: Buffer;
  beforeEach(async () => {
    account = await app.account();
    key = await erasureKey(app.deps.db, app.deps.config.secretKeys);
  });
  afterEach(() => assertBooks(app.deps.db));

  /** A message that Meta has taken. */
  const send = async () => {
    const { id, group_id } = await buildQueued(app.deps.db, account.workspaceId, { to, channel: 'whatsapp' });
    const [claim] = await claimAll(app.deps.db, group_id, routedTo({ whatsapp: 'meta' }));
    assert.ok(claim);
    const name = messageIdFor(to);
    await recordHandoffs(app.deps.db, [{ ...acceptedAs(claim, name), provider: 'meta' }], key);
    return { id, name, groupId: group_id };
  };
  type Sent = Awaited<ReturnType<typeof send>>;
  const tell = async ({ id, name }: Sent, status: string, more = {}) => {
    const said = { id: name, status, timestamp: '1760000000', recipient_id: digits, biz_opaque_callback_data: id, ...more };
    const { body, signature } = notice({ statuses: [said] });
    const answer = await app.call('POST', '/callbacks/meta', { body, headers: { 'X-Hub-Signature-256': signature } });
    assert.equal(answer.status, 200);
  };
  const apply = ({ groupId }: Sent) => applyReports(app.deps.db, groupId, { key });
  const erase = async (recipient = to) => {
    const { body } = await app.call('POST', '/api/v1/erasures', { key: account.key, body: { to: recipient } });
    const path = `/api/v1/erasures/${body.data.erasure.id}`;
    await until(async () => {
      await runErasures(app.deps.db, key);
      return (await app.call('GET', path, { key: account.key })).body.data.erasure.status === 'completed';
    }, 'it is completed');
  };
  const found = () => findInDatabase(app.deps.db, digits);
  const reports = () => rows(app.deps.db, 'SELECT status, outcome, repeats FROM delivery_reports ORDER BY id');

  it('an erased message keeps no number in any id, nor do its attempts and reports', async () => {
    const sent = await send();
    await tell(sent, 'delivered');
    await apply(sent);
    const before = await found();
    for (const table of ['messages', 'send_attempts', 'delivery_reports']) {
      assert.ok(before.includes(`${table}.provider_message_id: 1`), `the search decodes ${table}: ${before.join()}`);
    }
    await erase();
    assert.deepEqual(await found(), []);
    const path = `/api/v1/messages/${sent.id}`;
    assert.equal((await app.call('GET', path, { key: account.key })).body.data.message.provider_message_id, null);
    const { body } = await app.call('GET', `${path}/timeline`, { key: account.key });
    const steps: { type: string; details: { provider_message_id?: null } }[] = body.data.timeline.steps;
    assert.deepEqual(
      steps.flatMap(({ details }) => ('provider_message_id' in details ? [details.provider_message_id] : [])),
      [null, null],
    );
    assert.ok(
      steps.some(({ type }) => type === 'report'),
      'its reports are still shown',
    );
  });

  it('a late report about an erased message counts once, and its number is not stored', async () => {
    await rows(app.deps.db, 'DELETE FROM delivery_reports');
    await buildWebhook(account.workspaceId, 'https://one.example.test/');
    const sent = await send();
    await tell(sent, 'failed', { errors: [{ code: 131026 }] });
    await apply(sent);
    await rows(app.deps.db, `UPDATE deliveries SET status = 'succeeded' WHERE status = 'pending'`);
    await erase();
    await tell(sent, 'delivered');
    await apply(sent);
    await tell(sent, 'read');
    await tell(sent, 'delivered', { biz_opaque_callback_data: undefined });
    assert.equal(await statusOf(app.deps.db, sent.id), 'read/read');
    assert.deepEqual(await found(), []);
    assert.deepEqual(await reports(), [
      { status: 'failed', outcome: 'applied', repeats: 0 },
      { status: 'delivered', outcome: 'applied', repeats: 1 },
      { status: 'read', outcome: 'applied', repeats: 0 },
    ]);
    const [event] = await rows<{ body: string }>(
      app.deps.db,
      `SELECT body FROM events WHERE message_id = $1 AND type = 'message.delivered'`,
      [sent.id],
    );
    assert.equal(JSON.parse(event?.body ?? '').data.provider_message_id, '');
  });

  it('a report that was stored before the erasure and is applied after it brings no number back', async () => {
    const sent = await send();
    await tell(sent, 'delivered');
    await apply(sent);
    await rows(app.deps.db, `UPDATE deliveries SET status = 'succeeded' WHERE status = 'pending'`);
    const known = await messageOf(app.deps.db, sent.id);
    await erase();
    for (const status of ['delivered', 'read']) {
      await rows(
        app.deps.db,
        `INSERT INTO delivery_reports (id, provider, provider_message_id, status, message_id, group_id, occurred_at, raw)
         VALUES (gen_random_uuid(), 'meta', $1, $2, $3, $4, now(), $5)`,
        [known.provider_message_id, status, sent.id, sent.groupId, digits],
      );
    }
    await apply(sent);
    assert.equal(await statusOf(app.deps.db, sent.id), 'read/read');
    assert.deepEqual(await found(), []);
  });

  it('a read receipt that was stored before the erasure and is replayed after it brings no number back', async () => {
    const sent = await send();
    await tell(sent, 'delivered');
    await apply(sent);
    await rows(app.deps.db, `UPDATE deliveries SET status = 'succeeded' WHERE status = 'pending'`);
    const { provider_message_id } = await messageOf(app.deps.db, sent.id);
    await erase();
    await rows(app.deps.db, 'DELETE FROM delivery_reports');
    await rows(
      app.deps.db,
      `INSERT INTO delivery_reports (id, provider, provider_message_id, status, message_id, group_id, occurred_at, raw)
       VALUES ($1, 'meta', $2, 'read', $3, $4, now(), $5)`,
      [makeId(), provider_message_id, sent.id, sent.groupId, digits],
    );
    await replayReports(app.deps.db, key, {}, null);
    assert.equal(await statusOf(app.deps.db, sent.id), 'read/read');
    assert.deepEqual(await found(), []);
  });

  it('a report that arrives before the id of its message brings no number back', async () => {
    const { id, group_id } = await buildQueued(app.deps.db, account.workspaceId, { to, channel: 'whatsapp' });
    const [claim] = await claimAll(app.deps.db, group_id, routedTo({ whatsapp: 'meta' }));
    assert.ok(claim);
    await rows(app.deps.db, `UPDATE messages SET status = 'failed', status_detail = 'undeliverable', failed_at = now() WHERE id = $1`, [
      id,
    ]);
    await erase();
    const name = messageIdFor(to);
    await recordHandoffs(app.deps.db, [{ ...acceptedAs(claim, name), provider: 'meta' }], key);
    assert.deepEqual(await found(), [], 'of an answer that came late');
    const sent = { id, name, groupId: group_id };
    await tell(sent, 'delivered');
    await apply(sent);
    assert.equal(await statusOf(app.deps.db, id), 'delivered/delivered');
    assert.deepEqual(await found(), []);
    await tell(sent, 'read');
    assert.equal(await statusOf(app.deps.db, id), 'read/read', 'it is found by the digest now');
    assert.deepEqual(await found(), []);
  });

  it('an erasure removes the number from reports about unknown messages, too', async () => {
    await tell({ id: 'unknown', name: messageIdFor(to), groupId: '' }, 'delivered');
    assert.notDeepEqual(await found(), []);
    await erase();
    assert.deepEqual(await found(), []);
  });

  it('an erasure also finds reports about unknown messages in which Meta writes the number in another way', async () => {
    const [ours, theirs] = ['+525512345678', '5215512345678'];
    await tell({ id: 'unknown', name: messageIdFor(theirs), groupId: '' }, 'delivered', { recipient_id: theirs });
    const left = () => findInDatabase(app.deps.db, theirs);
    assert.notDeepEqual(await left(), []);
    await erase(ours);
    assert.deepEqual(await left(), []);
  });

  it('an opt-out that Meta reports after the erasure counts', async () => {
    const sent = await send();
    await tell(sent, 'delivered');
    await apply(sent);
    await erase();
    await tell(sent, 'failed', { errors: [{ code: 131050 }], biz_opaque_callback_data: undefined });
    const { body } = await app.call('GET', '/api/v1/suppressions', { key: account.key });
    assert.deepEqual(
      body.data.suppressions.map(({ recipient, reason }: { recipient: null; reason: string }) => [recipient, reason]),
      [[null, 'opt_out']],
    );
  });
});
