import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { Delivery } from '../../../../models/tables/delivery.js';
import { leaveToRetriers } from '../../../../models/operations/deliveries/retriers.js';
import {
  retrierDeliveries,
  deliveriesIn,
  firstDeliveries,
  pendingDeliveries,
} from '../../../../models/operations/deliveries/due-deliveries.js';
import { readTimeline } from '../../../../models/operations/messages/read-timeline.js';
import { listReplayable } from '../../../../models/operations/replays/replay-deliveries.js';
import type { Webhook } from '../../../../models/tables/webhook.js';
import { rows } from '../../../support/database.js';
import { attemptWith, buildDelivery, deliveryOf, recordAttempts } from '../../../support/rows/deliveries.js';
import { buildWebhook } from '../../../support/rows/factories.js';
import { workspaceForEach } from '../../../support/for-each.js';
import { acceptedAs, buildClaimed, messageOf, reportOf } from '../../../support/rows/messages.js';
import { applyReports, recordHandoffs, recordReports } from '../../../support/rows/reports.js';
import { withClock } from '../../../support/shift-clock.js';
import { assertAbout } from '../../../support/measure/times.js';

const types = (list: readonly { event: string }[]) => list.map(({ event }) => event.replace('message.', ''));
const inOrder = ['queued', 'sent', 'delivered'];

describe('workers whose clocks differ', () => {
  const test = workspaceForEach();
  let webhook: Webhook;
  let webhookId: string;
  beforeEach(async () => {
    webhook = await (await buildWebhook(test.workspaceId, 'https://one.example.test/')).row.reload();
    webhookId = webhook.id;
  });

  for (const [first, second, third] of [
    [0, -2_000, 0],
    [0, -30_000, -60_000],
    [30_000, 0, -30_000],
  ] as const) {
    const clocks = [first, second, third].map((ms) => ms / 1000).join(', ');

    /** A message whose three steps were made by three workers. */
    const deliver = async () => {
      const claim = await withClock(first, () => buildClaimed(test.db, test.workspaceId));
      await withClock(second, () => recordHandoffs(test.db, [acceptedAs(claim)]));
      const { group_id, ...message } = await messageOf(test.db, claim.id);
      await withClock(third, async () => {
        await recordReports(test.db, [reportOf(message, 'delivered')]);
        await applyReports(test.db, group_id);
      });
      await identify(claim.id);
      return messageOf(test.db, claim.id);
    };

    /** One process never makes an id that is below its last one, so these deliveries get ids as three processes would make them. */
    const identify = async (messageId: string) => {
      for (const [index, byMs] of [first, second, third].entries()) {
        const bind = [messageId, `message.${inOrder[index]}`, uuidv7({ msecs: Date.now() + byMs })];
        await rows(test.db, 'UPDATE deliveries SET id = $3 WHERE message_id = $1 AND event = $2', bind);
      }
    };

    it(`workers whose clocks differ write the events of a message in the order of its statuses (${clocks} s off)`, async () => {
      const { id, group_id } = await deliver();
      const due = await firstDeliveries(test.db, group_id, false);
      const ids = due.map((delivery) => delivery.id);
      assert.deepEqual(types(due), inOrder);
      assert.deepEqual(types(await deliveriesIn(test.db, ids, ['pending'])), inOrder);
      assert.deepEqual(types((await Delivery.pageOf(webhook, {}, { page: 1, limit: 10 })).rows), inOrder.toReversed());
      const timeline = (await readTimeline(test.db, test.workspaceId, id)).events;
      assert.deepEqual(types(timeline.map(({ type: event }) => ({ event }))), inOrder);
      assert.deepEqual(types(await pendingDeliveries(test.db, ids)), inOrder);
      assert.ok(
        due.every(({ is_due, is_overdue }) => is_due && !is_overdue),
        'due when they are written, and not overdue',
      );
      const range = { since: new Date(Date.now() - 5_000), until: new Date(Date.now() + 5_000) };
      const replayed = { webhookId, ...range, statuses: ['pending' as const] };
      assert.deepEqual(await listReplayable(test.db, replayed, null, 10), ids);
      assert.deepEqual(await listReplayable(test.db, replayed, ids[0] ?? null, 10), ids.slice(1));
      const listed = await Delivery.pageOf(webhook, range, { page: 1, limit: 10 });
      assert.equal(listed.total, 3, 'the list finds them by the time at which they were created');
    });

    it(`workers whose clocks differ keep the order of an ordered webhook (${clocks} s off)`, async () => {
      await rows(test.db, 'UPDATE webhooks SET ordered = true WHERE id = $1', [webhookId]);
      const { group_id } = await deliver();
      await leaveToRetriers(test.db, { idle: await firstDeliveries(test.db, group_id, false) }, false);
      assert.deepEqual(types(await retrierDeliveries(test.db, webhookId, true, 10)), inOrder);
      assert.deepEqual(types(await retrierDeliveries(test.db, webhookId, false, 10)), inOrder);
    });

    it(`workers whose clocks differ write no time of an event before that of an earlier one (${clocks} s off)`, async () => {
      const { id, created_at, sent_at, delivered_at } = await deliver();
      const events = await rows<{ body: string; created_at: Date }>(
        test.db,
        'SELECT body, created_at FROM events WHERE message_id = $1 ORDER BY seq',
        [id],
      );
      for (const times of [
        events.map(({ body }) => Date.parse(JSON.parse(body).timestamp)),
        events.map((event) => event.created_at.getTime()),
        [created_at, sent_at, delivered_at].map((at) => at?.getTime() ?? 0),
      ]) {
        assert.deepEqual(
          times,
          times.toSorted((one, other) => one - other),
        );
      }
    });
  }

  it('deliveries without a sequence number come first, in the order of their ids', async () => {
    const claim = await buildClaimed(test.db, test.workspaceId);
    await recordHandoffs(test.db, [acceptedAs(claim)]);
    await rows(test.db, 'UPDATE deliveries SET seq = 0 WHERE message_id = $1', [claim.id]);
    const { group_id, ...message } = await messageOf(test.db, claim.id);
    await recordReports(test.db, [reportOf(message, 'delivered')]);
    await applyReports(test.db, group_id);
    await rows(test.db, `UPDATE deliveries SET id = $2 WHERE message_id = $1 AND event = 'message.delivered'`, [
      claim.id,
      uuidv7({ msecs: 0 }),
    ]);
    const due = await firstDeliveries(test.db, group_id, false);
    assert.deepEqual(types(due), inOrder);
    await leaveToRetriers(test.db, { idle: due }, false);
    assert.deepEqual(types(await retrierDeliveries(test.db, webhookId, true, 10)), inOrder);
  });

  for (const offMs of [-30_000, 30_000]) {
    it(`workers whose clocks differ retry by the schedule, and log attempts at their time (${offMs / 1000} s off)`, async () => {
      const { id, webhook_id } = await buildDelivery(test.db, test.workspaceId);
      await withClock(offMs, () => recordAttempts(test.db, [attemptWith({ id, webhook_id }, { status: 'pending', inSeconds: 10 })]));
      const { next_attempt_at } = await deliveryOf(test.db, id);
      const seconds = ((next_attempt_at?.getTime() ?? 0) - Date.now()) / 1000;
      assert.ok(seconds > 5 && seconds <= 10, `${seconds} s`);
      const [attempt] = await rows<{ at: Date }>(test.db, 'SELECT at FROM delivery_attempts WHERE delivery_id = $1', [id]);
      assertAbout(attempt?.at, Date.now(), 10_000); // the clock of the worker is 30 s off
    });
  }
});
