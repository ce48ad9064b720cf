import assert from 'node:assert/strict';
import { Delivery, type DeliveryStatus } from '../../../../models/tables/delivery.js';
import { retrierDeliveries } from '../../../../models/operations/deliveries/due-deliveries.js';
import { deleteWebhook } from '../../../../models/operations/webhooks/delete-webhook.js';
import { disableWebhook } from '../../../../models/operations/webhooks/disable-webhook.js';
import { claimReplayed } from '../../../../models/operations/replays/claim-replayed.js';
import { countForReplay, listReplayable } from '../../../../models/operations/replays/replay-deliveries.js';
import { settleDeliveries, unsettledWebhooks } from '../../../../models/operations/deliveries/settle-deliveries.js';
import { updateWebhook, type WebhookChange } from '../../../../models/operations/webhooks/update-webhook.js';
import type { Webhook } from '../../../../models/tables/webhook.js';
import { rows } from '../../../support/database.js';
import { attemptWith, buildBacklog, buildDelivery, deliveryOf, recordAttempts, settle } from '../../../support/rows/deliveries.js';
import { buildReplay, buildWebhook } from '../../../support/rows/factories.js';
import { workspaceForEach } from '../../../support/for-each.js';
import { byTest } from '../../../support/by-test.js';

const page = 100;

describe('the deliveries of a webhook', () => {
  const test = workspaceForEach();
  let webhook: Webhook;
  beforeEach(async () => {
    webhook = await (await buildWebhook(test.workspaceId, 'https://one.example.test/')).row.reload();
  });

  const change = (fields: WebhookChange) => updateWebhook(test.db, test.workspaceId, webhook.id, fields, byTest);
  /** What the rows themselves say, as `status count`. */
  const stored = async () =>
    (
      await rows<{ line: string }>(
        test.db,
        `SELECT status || ' ' || count(*) AS line FROM deliveries WHERE webhook_id = $1 GROUP BY status ORDER BY status`,
        [webhook.id],
      )
    ).map(({ line }) => line);
  const listed = async (status: DeliveryStatus) => {
    await webhook.reload();
    return (await Delivery.pageOf(webhook, { status: [status] }, { page: 1, limit: 1 })).total;
  };
  const range = () => ({ webhookId: webhook.id, since: new Date(Date.now() - 60_000), until: new Date(Date.now() + 60_000) });
  const replayable = ['failed', 'held'] as const;

  for (const [what, end] of [
    ['paused by its owner', () => change({ is_active: false })],
    ['disabled', () => disableWebhook(test.db, webhook.id, 'The endpoint returned 410 Gone', webhook)],
  ] as const) {
    it(`deliveries are held at once when their webhook is ${what}, and written page by page afterwards`, async () => {
      await buildBacklog(test.db, webhook, { count: 350 });
      await buildBacklog(test.db, webhook, { count: 150, carried: false }); // these have pages of their own
      await end();
      assert.deepEqual(await stored(), ['pending 500'], 'the change itself writes no delivery');
      assert.deepEqual([await listed('pending'), await listed('held')], [0, 500]);
      assert.equal(await countForReplay(test.db, { ...range(), statuses: replayable }), 500);
      assert.equal(await countForReplay(test.db, { ...range(), statuses: ['pending'] }), 0);
      assert.deepEqual(await unsettledWebhooks(test.db, 10), [webhook.id], 'the watcher finds it');
      assert.notEqual(await settleDeliveries(test.db, webhook.id, null, page), null);
      assert.deepEqual(await stored(), ['held 100', 'pending 400']);
      assert.deepEqual([await listed('pending'), await listed('held')], [0, 500]);
      const pages = Math.ceil(350 / page) + Math.ceil(150 / page);
      assert.equal(await settle(test.db, webhook.id, page), pages - 1, 'one page was before');
      assert.deepEqual([await stored(), await listed('held'), await unsettledWebhooks(test.db, 10)], [['held 500'], 500, []]);
    });
  }

  it('deliveries fail at once when their webhook is deleted', async () => {
    await buildBacklog(test.db, webhook, { count: 30 });
    const { id } = await buildDelivery(test.db, test.workspaceId);
    await deleteWebhook(test.db, test.workspaceId, webhook.id, byTest);
    assert.deepEqual([await stored(), (await deliveryOf(test.db, id)).status], [['pending 31'], 'failed']);
    await settle(test.db, webhook.id);
    assert.deepEqual([await stored(), await unsettledWebhooks(test.db, 10)], [['failed 31'], []]);
  });

  it('deliveries stay held when their webhook becomes active again, and new ones are sent', async () => {
    await buildBacklog(test.db, webhook, { count: 30 });
    await change({ is_active: false });
    await change({ is_active: true });
    const { id } = await buildDelivery(test.db, test.workspaceId);
    assert.deepEqual([await listed('pending'), await listed('held'), (await deliveryOf(test.db, id)).status], [1, 30, 'pending']);
    await rows(test.db, 'UPDATE deliveries SET carried = true WHERE id = $1', [id]);
    for (const ordered of [true, false])
      assert.deepEqual(
        (await retrierDeliveries(test.db, webhook.id, ordered, 40)).map((delivery) => delivery.id),
        [id],
      );
    await settle(test.db, webhook.id);
    assert.deepEqual(await stored(), ['held 30', 'pending 1']);
  });

  it('held deliveries are sent when a replay takes them', async () => {
    await buildBacklog(test.db, webhook, { count: 3 });
    await change({ is_active: false });
    await change({ is_active: true });
    const [one = '', ...others] = (
      await rows<{ id: string }>(test.db, 'SELECT id FROM deliveries WHERE webhook_id = $1', [webhook.id])
    ).map(({ id }) => id);
    assert.deepEqual(await claimReplayed(test.db, (await buildReplay(webhook.id)).id, [one], true), ['claimed']);
    await settle(test.db, webhook.id);
    assert.deepEqual(await stored(), ['held 2', 'pending 1']);
    assert.equal((await deliveryOf(test.db, one)).status, 'pending');
    assert.deepEqual(new Set(await listReplayable(test.db, { ...range(), statuses: replayable }, null, 10)), new Set(others));
  });

  it('deliveries stay held after a failed attempt, and succeed after an acknowledged one', async () => {
    const [failed, over, acknowledged] = [
      await buildDelivery(test.db, test.workspaceId),
      await buildDelivery(test.db, test.workspaceId),
      await buildDelivery(test.db, test.workspaceId),
    ];
    await change({ is_active: false });
    await change({ is_active: true });
    assert.deepEqual(await recordAttempts(test.db, [attemptWith(failed, { status: 'pending', inSeconds: 60 })]), ['stopped']);
    await recordAttempts(test.db, [attemptWith(over, { status: 'failed' })]);
    await recordAttempts(test.db, [attemptWith(acknowledged, { status: 'succeeded' })]);
    const statuses = async () => Promise.all([failed, over, acknowledged].map(async ({ id }) => (await deliveryOf(test.db, id)).status));
    assert.deepEqual(await statuses(), ['held', 'held', 'succeeded']);
    await settle(test.db, webhook.id);
    assert.deepEqual(await statuses(), ['held', 'held', 'succeeded']);
  });

  it('deliveries that wait for a retry become due page by page when their URL changes', async () => {
    await buildBacklog(test.db, webhook, { count: 250, ladderStep: 3 });
    await buildBacklog(test.db, webhook, { count: 50, ladderStep: 3, carried: false });
    const due = () => retrierDeliveries(test.db, webhook.id, false, 1_000);
    const url = 'https://two.example.test/';
    await change({ url });
    assert.equal((await due()).length, 0, 'the change itself writes no delivery');
    assert.notEqual(await settleDeliveries(test.db, webhook.id, null, page), null);
    const first = await due();
    assert.deepEqual([first.length, new Set(first.map(({ ladder_step }) => ladder_step))], [100, new Set([0])]);
    for (const delivery of first.slice(0, 10))
      await recordAttempts(test.db, [attemptWith(delivery, { status: 'pending', inSeconds: 5 }, url)]);
    assert.equal(await settle(test.db, webhook.id, page), 3);
    assert.deepEqual([(await due()).length, await listed('pending'), await unsettledWebhooks(test.db, 10)], [290, 300, []]);
  });

  it('locked deliveries are settled with a later page', async () => {
    await buildBacklog(test.db, webhook, { count: 3 });
    await change({ is_active: false });
    const other = await test.db.transaction();
    const lockOne = 'SELECT 1 FROM deliveries WHERE webhook_id = $1 LIMIT 1 FOR NO KEY UPDATE';
    await test.db.query(lockOne, { bind: [webhook.id], transaction: other });
    assert.notEqual(await settleDeliveries(test.db, webhook.id, null, page), null);
    const further = await settleDeliveries(test.db, webhook.id, null, page);
    assert.notEqual(further, null, 'there is more to do');
    assert.notEqual(await settleDeliveries(test.db, webhook.id, further, page), null, 'also where that lies behind');
    assert.deepEqual(await stored(), ['held 2', 'pending 1']);
    await other.rollback();
    await settle(test.db, webhook.id);
    assert.deepEqual([await stored(), await unsettledWebhooks(test.db, 10)], [['held 3'], []]);
  });
});
