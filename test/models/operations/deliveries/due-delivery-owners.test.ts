/** A due delivery belongs to a round of its group, to a child workflow, to the retrier of its webhook or to the watcher: to one of them. */
import assert from 'node:assert/strict';
import { retrierDeliveries, firstDeliveries } from '../../../../models/operations/deliveries/due-deliveries.js';
import { leaveToChild } from '../../../../models/operations/deliveries/child-deliveries.js';
import { leaveOverdue } from '../../../../models/operations/deliveries/retriers.js';
import { claimOverdue } from '../../../../models/operations/deliveries/claim-overdue.js';
import { overdueDeliveries } from '../../../../models/operations/watch/overdue-work.js';
import { countGroupWork } from '../../../../models/operations/messages/count-group-work.js';
import { rows } from '../../../support/database.js';
import { untilLockWait } from '../../../support/lock-table.js';
import { buildDelivery, makeDeliveriesDue } from '../../../support/rows/deliveries.js';
import { buildSent } from '../../../support/rows/messages.js';
import { webhookForEach } from '../../../support/for-each.js';

describe('due deliveries and who attempts them', () => {
  const test = webhookForEach();

  it('a round omits deliveries of a child workflow, unless its call is repeated', async () => {
    const { group_id, id } = await buildDelivery(test.db, test.workspaceId);
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

  it('deliveries of a webhook with an open circuit breaker go straight to its retrier', async () => {
    const write = async (fields: { resume_at: Date | null; carrier_looks_at: Date | null }) => {
      await test.webhook.row.update(fields);
      const { group_id } = await buildDelivery(test.db, test.workspaceId);
      return (await firstDeliveries(test.db, group_id, false)).length;
    };
    const inAMinute = new Date(Date.now() + 60_000);
    const readByGroup = [
      await write({ resume_at: inAMinute, carrier_looks_at: inAMinute }),
      await write({ resume_at: inAMinute, carrier_looks_at: null }),
      await write({ resume_at: null, carrier_looks_at: inAMinute }),
    ];
    assert.deepEqual(readByGroup, [0, 1, 1]);
    await makeDeliveriesDue(
      test.db,
      ...(await rows<{ id: string }>(test.db, 'SELECT id FROM deliveries WHERE carried', [])).map(({ id }) => id),
    );
    assert.equal((await retrierDeliveries(test.db, test.webhook.row.id, false, 10)).length, 1);
  });

  it('deliveries of the retrier stay with it when their webhook is no longer ordered', async () => {
    await test.webhook.row.update({ ordered: true });
    const ordered = await buildSent(test.db, test.workspaceId);
    await test.webhook.row.update({ ordered: false });
    const unordered = await buildSent(test.db, test.workspaceId);
    const isLeft = async ({ group_id }: { group_id: string }) =>
      (await firstDeliveries(test.db, group_id, false)).map(({ is_outside_group }) => is_outside_group);
    assert.deepEqual(
      [await isLeft(ordered), await isLeft(unordered)],
      [
        [true, true],
        [false, false],
      ],
    );
  });

  it('deliveries of the retrier stay with it after a failed attempt that the group has not seen', async () => {
    const { group_id, id } = await buildDelivery(test.db, test.workspaceId);
    const inAnHour = `carried = true, ladder_step = 1, next_attempt_at = now() + interval '1 hour'`;
    await rows(test.db, `UPDATE deliveries SET ${inAnHour} WHERE id = $1`, [id]);
    assert.deepEqual(
      (await firstDeliveries(test.db, group_id, false)).map(({ is_outside_group }) => is_outside_group),
      [true],
    );
  });

  it('deliveries of the retrier wait for the first attempt of an earlier event of the message', async () => {
    const { id } = await buildSent(test.db, test.workspaceId);
    await rows(test.db, `UPDATE deliveries SET carried = true, in_child = true WHERE message_id = $1 AND event = 'message.sent'`, [id]);
    const read = async () => (await retrierDeliveries(test.db, test.webhook.row.id, false, 10)).map(({ event }) => event);
    assert.deepEqual(await read(), []);
    await rows(test.db, `UPDATE deliveries SET status = 'succeeded' WHERE message_id = $1 AND event = 'message.queued'`, [id]);
    assert.deepEqual(await read(), ['message.sent']);
  });

  it('deliveries after one of the retrier go to it too, for the same message only', async () => {
    const [one, other] = [await buildSent(test.db, test.workspaceId), await buildSent(test.db, test.workspaceId)];
    await rows(test.db, 'UPDATE messages SET group_id = $2 WHERE id = $1', [other.id, one.group_id]);
    await rows(test.db, 'UPDATE deliveries SET group_id = $2 WHERE message_id = $1', [other.id, one.group_id]);
    await rows(test.db, `UPDATE deliveries SET carried = true, in_child = true WHERE message_id = $1 AND event = 'message.queued'`, [
      one.id,
    ]);
    assert.deepEqual(
      (await firstDeliveries(test.db, one.group_id, false)).map(({ message_id, event, is_outside_group }) => [
        message_id,
        event,
        is_outside_group,
      ]),
      [
        [one.id, 'message.sent', true],
        [other.id, 'message.queued', false],
        [other.id, 'message.sent', false],
      ],
    );
  });

  it('deliveries that waited long belong to the round or to the watcher, never to both', async () => {
    const [rounds, watchers] = [await buildDelivery(test.db, test.workspaceId), await buildDelivery(test.db, test.workspaceId)];
    await rows(test.db, `UPDATE deliveries SET next_attempt_at = now() - interval '90 seconds' WHERE webhook_id = $1`, [
      test.webhook.row.id,
    ]);
    assert.deepEqual(
      (await firstDeliveries(test.db, rounds.group_id, false)).map(({ is_outside_group }) => is_outside_group),
      [false],
    );
    assert.deepEqual(
      (await claimOverdue(test.db, await overdueDeliveries(test.db, 60), 60)).map(({ id }) => id),
      [watchers.id],
    );
    assert.deepEqual(await overdueDeliveries(test.db, 60), []);
  });

  it('deliveries that the watcher takes during a round go to the retrier', async () => {
    const { id, group_id } = await buildDelivery(test.db, test.workspaceId);
    await rows(test.db, `UPDATE deliveries SET next_attempt_at = now() - interval '90 seconds' WHERE id = $1`, [id]);
    const watcher = await test.db.transaction();
    await test.db.query('SELECT 1 FROM deliveries WHERE id = $1 FOR NO KEY UPDATE', { bind: [id], transaction: watcher });
    const round = firstDeliveries(test.db, group_id, false);
    await untilLockWait(test.db, 'the round waits');
    await test.db.query('UPDATE deliveries SET next_attempt_at = now() WHERE id = $1', { bind: [id], transaction: watcher });
    await watcher.commit();
    assert.deepEqual(
      (await round).map(({ is_outside_group }) => is_outside_group),
      [true],
    );
  });

  it('deliveries that a round reads while the watcher leaves them belong to the round alone', async () => {
    const { id, group_id, webhook_id } = await buildDelivery(test.db, test.workspaceId);
    await rows(test.db, `UPDATE deliveries SET next_attempt_at = now() - interval '90 seconds' WHERE id = $1`, [id]);
    const holder = await test.db.transaction();
    await test.db.query('SELECT 1 FROM webhooks WHERE id = $1 FOR NO KEY UPDATE', { bind: [webhook_id], transaction: holder });
    const watcher = leaveOverdue(test.db, await overdueDeliveries(test.db, 60), 60);
    await untilLockWait(test.db, 'the watcher waits');
    const [read] = await firstDeliveries(test.db, group_id, false);
    await holder.commit();
    await watcher;
    const [{ carried } = {}] = await rows<{ carried: boolean }>(test.db, 'SELECT carried FROM deliveries WHERE id = $1', [id]);
    assert.deepEqual([read?.is_outside_group, carried], [false, false]);
  });
});
