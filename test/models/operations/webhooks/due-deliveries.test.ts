import assert from 'node:assert/strict';
import { leaveToRetriers } from '../../../../models/operations/webhooks/retriers.js';
import { retrierDeliveries, firstDeliveries, pendingDeliveries } from '../../../../models/operations/webhooks/due-deliveries.js';
import { countFailed, leaveToChild } from '../../../../models/operations/watch/own-workflows.js';
import { claimOverdue } from '../../../../models/operations/webhooks/claim-overdue.js';
import { overdueDeliveries } from '../../../../models/operations/watch/overdue-work.js';
import { countGroupWork } from '../../../../models/operations/messages/group-work.js';
import { recordAttempt } from '../../../../models/operations/webhooks/record-attempt.js';
import { decrypt } from '../../../../models/rules/values/encryption.js';
import { secretContext, Webhook } from '../../../../models/tables/webhook.js';
import { until } from '../../../support/client.js';
import { testConfig } from '../../../support/config.js';
import { freshDatabase, rows, type TestDatabase } from '../../../support/database.js';
import { attemptWith, buildDelivery, deliveryOf, makeDue } from '../../../support/rows/deliveries.js';
import { buildWebhook, buildWorkspace } from '../../../support/rows/factories.js';
import { assertBooks } from '../../../../harness/checks/invariants.js';
import { buildSent } from '../../../support/rows/messages.js';

describe('due deliveries', () => {
  let test: TestDatabase;
  let workspaceId: string;
  let webhook: Awaited<ReturnType<typeof buildWebhook>>;
  before(async () => {
    test = await freshDatabase();
  });
  beforeEach(async () => {
    workspaceId = (await buildWorkspace(test.db)).id;
    webhook = await buildWebhook(workspaceId, 'https://one.example.test/');
  });
  afterEach(() => assertBooks(test.db));
  after(() => test.drop());

  const pause = () => Webhook.update({ is_active: false }, { where: { id: webhook.row.id } });

  it('contain all that an attempt needs, in the order of their events', async () => {
    const { id, group_id } = await buildSent(test.db, workspaceId);
    const due = await firstDeliveries(test.db, group_id, false);
    assert.deepEqual(
      due.map(({ event, message_id }) => [event, message_id]),
      [
        ['message.queued', id],
        ['message.sent', id],
      ],
    );
    const [first] = due;
    assert.ok(first);
    assert.equal(first.url, webhook.row.url);
    assert.equal(JSON.parse(first.body).data.message_id, id);
    assert.equal(decrypt(testConfig().secretKey, secretContext(webhook.row.id), first.secret), webhook.secret);
    assert.deepEqual([first.ladder_step, first.old_secret, first.old_secret_until], [0, null, null]);
  });

  it('are omitted when a child workflow has them, unless the call is repeated', async () => {
    const { group_id, id } = await buildDelivery(test.db, workspaceId);
    assert.equal((await countGroupWork(test.db, group_id)).deliveries, 1);
    await leaveToChild(test.db, [id]);
    assert.deepEqual(await firstDeliveries(test.db, group_id, false), []);
    assert.equal((await countGroupWork(test.db, group_id)).deliveries, 0);
    assert.deepEqual(
      (await firstDeliveries(test.db, group_id, true)).map((delivery) => delivery.id),
      [id],
    );
    await leaveToChild(test.db, []);
  });

  it('of a webhook with an open breaker go straight to its retrier', async () => {
    const write = async (fields: { resume_at: Date | null; carrier_looks_at: Date | null }) => {
      await webhook.row.update(fields);
      const { group_id } = await buildDelivery(test.db, workspaceId);
      return (await firstDeliveries(test.db, group_id, false)).length;
    };
    const inAMinute = new Date(Date.now() + 60_000);
    const readByGroup = [
      await write({ resume_at: inAMinute, carrier_looks_at: inAMinute }),
      await write({ resume_at: inAMinute, carrier_looks_at: null }),
      await write({ resume_at: null, carrier_looks_at: inAMinute }),
    ];
    assert.deepEqual(readByGroup, [0, 1, 1]);
    await makeDue(test.db, ...(await rows<{ id: string }>(test.db, 'SELECT id FROM deliveries WHERE carried', [])).map(({ id }) => id));
    assert.equal((await retrierDeliveries(test.db, webhook.row.id, false, 10)).length, 1);
  });

  it('of the retrier stay with it, also when their webhook is no longer ordered', async () => {
    await webhook.row.update({ ordered: true });
    const ordered = await buildSent(test.db, workspaceId);
    await webhook.row.update({ ordered: false });
    const unordered = await buildSent(test.db, workspaceId);
    const isLeft = async ({ group_id }: { group_id: string }) =>
      (await firstDeliveries(test.db, group_id, false)).map(({ in_child }) => in_child);
    assert.deepEqual(
      [await isLeft(ordered), await isLeft(unordered)],
      [
        [true, true],
        [false, false],
      ],
    );
  });

  it('after an event of the retrier stay with it, for the same message only', async () => {
    const [one, other] = [await buildSent(test.db, workspaceId), await buildSent(test.db, workspaceId)];
    await rows(test.db, 'UPDATE messages SET group_id = $2 WHERE id = $1', [other.id, one.group_id]);
    await rows(test.db, 'UPDATE deliveries SET group_id = $2 WHERE message_id = $1', [other.id, one.group_id]);
    await rows(test.db, `UPDATE deliveries SET carried = true, in_child = true WHERE message_id = $1 AND event = 'message.queued'`, [
      one.id,
    ]);
    assert.deepEqual(
      (await firstDeliveries(test.db, one.group_id, false)).map(({ message_id, event, in_child }) => [message_id, event, in_child]),
      [
        [one.id, 'message.sent', true],
        [other.id, 'message.queued', false],
        [other.id, 'message.sent', false],
      ],
    );
  });

  it('show whether other webhooks wait for the same round', async () => {
    const { id, group_id } = await buildDelivery(test.db, workspaceId);
    const isShared = async () => (await firstDeliveries(test.db, group_id, false)).map(({ is_shared }) => is_shared);
    assert.deepEqual(await isShared(), [false]);
    const { row: second } = await buildWebhook(workspaceId, 'https://two.example.test/');
    assert.deepEqual(await isShared(), [true]);
    await second.update({ is_active: false });
    assert.deepEqual(await isShared(), [false]);
    const stranger = (await buildWorkspace(test.db)).id;
    await buildWebhook(stranger, 'https://three.example.test/');
    const theirs = await buildDelivery(test.db, stranger);
    await rows(test.db, 'UPDATE messages SET group_id = $2 WHERE group_id = $1', [theirs.group_id, group_id]);
    assert.deepEqual(await isShared(), [true]);
    assert.equal((await deliveryOf(test.db, id)).status, 'pending');
  });

  it('that waited long belong to the round or to the watcher, never to both', async () => {
    const [rounds, watchers] = [await buildDelivery(test.db, workspaceId), await buildDelivery(test.db, workspaceId)];
    await rows(test.db, `UPDATE deliveries SET next_attempt_at = now() - interval '90 seconds' WHERE webhook_id = $1`, [webhook.row.id]);
    assert.deepEqual(
      (await firstDeliveries(test.db, rounds.group_id, false)).map(({ in_child }) => in_child),
      [false],
    );
    assert.deepEqual(
      (await claimOverdue(test.db, await overdueDeliveries(test.db, 60), 60)).map(({ id }) => id),
      [watchers.id],
    );
    assert.deepEqual(await overdueDeliveries(test.db, 60), []);
  });

  it('that the watcher takes during a round go to the retrier', async () => {
    const { id, group_id } = await buildDelivery(test.db, workspaceId);
    await rows(test.db, `UPDATE deliveries SET next_attempt_at = now() - interval '90 seconds' WHERE id = $1`, [id]);
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    const watcher = await test.db.transaction();
    await test.db.query('SELECT 1 FROM deliveries WHERE id = $1 FOR NO KEY UPDATE', { bind: [id], transaction: watcher });
    const round = firstDeliveries(test.db, group_id, false);
    await until(async () => (await rows(test.db, waiting)).length > 0, 'the round waits');
    await test.db.query('UPDATE deliveries SET next_attempt_at = now() WHERE id = $1', { bind: [id], transaction: watcher });
    await watcher.commit();
    assert.deepEqual(
      (await round).map(({ in_child }) => in_child),
      [true],
    );
  });

  it('of a message keep their order when the earlier one is due later', async () => {
    const { group_id } = await buildSent(test.db, workspaceId);
    const due = await firstDeliveries(test.db, group_id, false);
    await leaveToRetriers(test.db, { left: due }, false);
    const eventsNow = async () => (await retrierDeliveries(test.db, webhook.row.id, false, 10)).map(({ event }) => event);
    const makeDue = (event: string, secondsAgo: number) =>
      rows(test.db, `UPDATE deliveries SET next_attempt_at = now() - $2 * interval '1 second' WHERE group_id = $3 AND event = $1`, [
        event,
        secondsAgo,
        group_id,
      ]);
    await makeDue('message.queued', 1); // a round claimed it as overdue
    await makeDue('message.sent', 20);
    assert.deepEqual(await eventsNow(), ['message.queued']);
    const [first] = due;
    assert.ok(first);
    await recordAttempt(test.db, attemptWith(first, { status: 'succeeded' }));
    assert.deepEqual(await eventsNow(), ['message.sent']);
  });

  it('are held for a paused webhook, and fail for a deleted one', async () => {
    const { group_id, id } = await buildDelivery(test.db, workspaceId);
    await pause();
    assert.deepEqual(await firstDeliveries(test.db, group_id, false), []);
    const { status, next_attempt_at } = await deliveryOf(test.db, id);
    assert.deepEqual({ status, next_attempt_at }, { status: 'held', next_attempt_at: null });
    await Webhook.update({ is_active: true }, { where: { id: webhook.row.id } });
    const deleted = await buildDelivery(test.db, workspaceId);
    await rows(test.db, 'UPDATE webhooks SET deleted_at = now() WHERE id = $1', [webhook.row.id]);
    assert.deepEqual(await pendingDeliveries(test.db, [deleted.id]), []);
    assert.equal((await deliveryOf(test.db, deleted.id)).status, 'failed');
  });

  it('are listed for a retry, the earliest first', async () => {
    const [one, two, three] = [
      await buildDelivery(test.db, workspaceId),
      await buildDelivery(test.db, workspaceId),
      await buildDelivery(test.db, workspaceId),
    ];
    await recordAttempt(test.db, attemptWith(one, { status: 'pending', inSeconds: 60 }));
    await recordAttempt(test.db, attemptWith(three, { status: 'failed' }));
    const ids = [one.id, two.id, three.id];
    assert.deepEqual(
      (await pendingDeliveries(test.db, ids)).map(({ id, ladder_step }) => [id, ladder_step]),
      [
        [two.id, 0],
        [one.id, 1],
      ],
    );
    assert.equal(await countFailed(test.db, ids), 1);
    assert.equal(await countFailed(test.db, []), 0);
    await pause();
    assert.deepEqual(await pendingDeliveries(test.db, ids), []);
    assert.deepEqual([(await deliveryOf(test.db, one.id)).status, (await deliveryOf(test.db, three.id)).status], ['held', 'failed']);
  });
});
