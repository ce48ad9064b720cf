import assert from 'node:assert/strict';
import { firstDeliveries, pendingDeliveries } from '../../../../models/operations/deliveries/due-deliveries.js';
import { countFailed } from '../../../../models/operations/deliveries/child-deliveries.js';
import { decrypt } from '../../../../models/rules/values/encryption.js';
import { secretContext, Webhook } from '../../../../models/tables/webhook.js';
import { testConfig } from '../../../support/config.js';
import { rows } from '../../../support/database.js';
import { attemptWith, buildDelivery, deliveryOf, recordAttempts } from '../../../support/rows/deliveries.js';
import { buildWebhook, buildWorkspace } from '../../../support/rows/factories.js';
import { buildSent } from '../../../support/rows/messages.js';
import { webhookForEach } from '../../../support/for-each.js';

describe('due deliveries', () => {
  const test = webhookForEach();

  const pause = () => Webhook.update({ is_active: false }, { where: { id: test.webhook.row.id } });

  it('due deliveries contain all that an attempt needs, in the order of their events', async () => {
    const { id, group_id } = await buildSent(test.db, test.workspaceId);
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
    assert.equal(first.url, test.webhook.row.url);
    assert.equal(JSON.parse(first.body).data.message_id, id);
    assert.equal(decrypt(testConfig().secretKeys, secretContext(test.webhook.row.id), first.secret), test.webhook.secret);
    assert.deepEqual([first.ladder_step, first.old_secret, first.old_secret_until], [0, null, null]);
  });

  it('due deliveries show whether other webhooks wait for the same round', async () => {
    const { id, group_id } = await buildDelivery(test.db, test.workspaceId);
    const isShared = async () => (await firstDeliveries(test.db, group_id, false)).map(({ is_shared }) => is_shared);
    assert.deepEqual(await isShared(), [false]);
    const { row: second } = await buildWebhook(test.workspaceId, 'https://two.example.test/');
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

  it('due deliveries are held for a paused webhook, and fail for a deleted one', async () => {
    const { group_id, id } = await buildDelivery(test.db, test.workspaceId);
    await pause();
    assert.deepEqual(await firstDeliveries(test.db, group_id, false), []);
    const { status, next_attempt_at } = await deliveryOf(test.db, id);
    assert.deepEqual({ status, next_attempt_at }, { status: 'held', next_attempt_at: null });
    await Webhook.update({ is_active: true }, { where: { id: test.webhook.row.id } });
    const deleted = await buildDelivery(test.db, test.workspaceId);
    await rows(test.db, 'UPDATE webhooks SET deleted_at = now() WHERE id = $1', [test.webhook.row.id]);
    assert.deepEqual(await pendingDeliveries(test.db, [deleted.id]), []);
    assert.equal((await deliveryOf(test.db, deleted.id)).status, 'failed');
  });

  it('due deliveries are listed for a retry, the earliest first', async () => {
    const [one, two, three] = [
      await buildDelivery(test.db, test.workspaceId),
      await buildDelivery(test.db, test.workspaceId),
      await buildDelivery(test.db, test.workspaceId),
    ];
    await recordAttempts(test.db, [attemptWith(one, { status: 'pending', inSeconds: 60 })]);
    await recordAttempts(test.db, [attemptWith(three, { status: 'failed' })]);
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
