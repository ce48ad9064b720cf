import assert from 'node:assert/strict';
import { MockActivityEnvironment } from '@temporalio/testing';
import { workMetrics } from '../../../models/metrics/catalogue.js';
import { restRetrier } from '../../../models/operations/deliveries/retriers.js';
import { createTestDelivery } from '../../../models/operations/deliveries/create-test-delivery.js';
import { retrierDeliveries } from '../../../models/operations/deliveries/due-deliveries.js';
import { claimReplayed } from '../../../models/operations/replays/claim-replayed.js';
import { countForReplay, listReplayable } from '../../../models/operations/replays/replay-deliveries.js';
import { updateWebhook } from '../../../models/operations/webhooks/update-webhook.js';
import type { DeliveryStatus } from '../../../models/tables/delivery.js';
import { Replay } from '../../../models/tables/replay.js';
import { Webhook } from '../../../models/tables/webhook.js';
import type { ReplayPageInput } from '../../../workflows/contract.js';
import { byTest } from '../../support/by-test.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import {
  attemptsOf,
  attemptWith,
  buildBacklog,
  buildDeliveryIn,
  deliveryOf,
  recordAttempts,
  unknownId,
} from '../../support/rows/deliveries.js';
import { buildReplay } from '../../support/rows/factories.js';
import { endpointForEach } from '../../support/for-each.js';
import { addedTo } from '../../support/measure/counted.js';
import { inActivity } from '../../support/temporal/in-activity.js';
import { answerWith } from '../../support/network/receiver.js';
import { webhookOperationActivities } from '../../support/parts/activities.js';

describe('attemptNow and replayPage', () => {
  const test = endpointForEach();

  const activities = () =>
    webhookOperationActivities({ db: test.db, config: testConfig({ WEBHOOK_RETRY_DELAYS: '60,60' }), poster: test.poster });
  const attempt = (deliveryId: string, trigger: 'manual' | 'test' = 'manual') =>
    inActivity(activities().attemptNow, [{ deliveryId, trigger }]);
  /** A page of a replay of its own, which is not its last one. */
  const replay = async (deliveryIds: string[], statuses: ReplayPageInput['statuses'] = ['failed', 'held'], time = 1) => {
    const { id: replayId } = await buildReplay(test.webhook.id, { statuses: [...statuses] });
    return inActivity(activities().replayPage, [{ replayId, webhookId: test.webhook.id, deliveryIds, isLast: false, statuses }], time);
  };
  const delivery = async (status: DeliveryStatus) => (await buildDeliveryIn(test.db, test.workspaceId, status, 2)).id;
  const statusesOf = (ids: string[]) => Promise.all(ids.map(async (id) => (await deliveryOf(test.db, id)).status));

  for (const status of ['pending', 'failed', 'held', 'succeeded'] as const) {
    it(`a ${status} delivery keeps its status after a manual failure, and ends after a success`, async () => {
      const id = await delivery(status);
      const earlier = await deliveryOf(test.db, id);
      test.receiver.answer = answerWith(500);
      await attempt(id);
      assert.deepEqual(await deliveryOf(test.db, id), earlier);
      test.receiver.answer = answerWith(200);
      await attempt(id);
      const { status: now, ladder_step, next_attempt_at } = await deliveryOf(test.db, id);
      assert.deepEqual([now, ladder_step, next_attempt_at], ['succeeded', 2, null]);
      assert.deepEqual(
        (await attemptsOf(test.db, id)).map(({ number, trigger }) => [number, trigger]),
        [
          [1, 'manual'],
          [2, 'manual'],
        ],
      );
    });
  }

  it('a webhook that became inactive gets no manual attempt and no replay', async () => {
    const [pending, failed] = [await delivery('pending'), await delivery('failed')];
    await Webhook.update({ is_active: false }, { where: { id: test.webhook.id } });
    await attempt(pending);
    await attempt(failed);
    assert.deepEqual(await replay([pending, failed]), { retriers: [], goesOn: false });
    assert.deepEqual([await statusesOf([pending, failed]), test.receiver.received], [['held', 'failed'], []]);
  });

  it('a test is attempted once for repeated calls', async () => {
    const id = await createTestDelivery(test.db, test.workspaceId, test.webhook.id);
    test.receiver.answer = answerWith(500);
    await attempt(id, 'test');
    await attempt(id, 'test');
    assert.deepEqual([await statusesOf([id]), test.receiver.received.length], [['failed'], 1]);
  });

  it('each replayed delivery gets a new retry schedule, which continues after a failure', async () => {
    const ids = [await delivery('failed'), await delivery('held'), await delivery('succeeded'), await delivery('pending')];
    test.receiver.answer = (received, response, index) => answerWith(index === 0 ? 500 : 200)(received, response, index);
    assert.deepEqual([await replay(ids), test.receiver.received.length], [{ retriers: [test.webhook.id], goesOn: true }, 2]);
    const onRung = (await Promise.all(ids.map((id) => deliveryOf(test.db, id)))).filter(({ ladder_step }) => ladder_step === 1);
    assert.deepEqual(new Set(onRung.map(({ status }) => status)), new Set(['pending', 'succeeded']));
    assert.ok(((await restRetrier(test.db, test.webhook.id)).waitMs ?? 0) > 50_000, 'it is the retrier that waits for the next delay');
  });

  it('attempts of replays and by hand are not counted as first attempts', async () => {
    const [failed, pending] = [await delivery('failed'), (await buildDeliveryIn(test.db, test.workspaceId, 'pending', 0)).id];
    const counted = addedTo(workMetrics.webhookAttempts, () => Promise.all([replay([failed]), attempt(pending)]));
    assert.deepEqual(await counted, { 'false succeeded': 2 });
  });

  it('a replayed delivery is taken away from the retrier', async () => {
    const id = await delivery('failed');
    await rows(test.db, 'UPDATE deliveries SET carried = true WHERE id = $1', [id]);
    await claimReplayed(test.db, (await buildReplay(test.webhook.id)).id, [id], true);
    for (const ordered of [true, false]) assert.deepEqual(await retrierDeliveries(test.db, test.webhook.id, ordered, 10), []);
  });

  it('a replay whose worker died repeats no attempt', async () => {
    const [first, second] = [await delivery('succeeded'), await delivery('succeeded')];
    const { id: replayId } = await buildReplay(test.webhook.id, { statuses: ['succeeded'] });
    const page = { replayId, webhookId: test.webhook.id, isLast: false, statuses: ['succeeded' as const] };
    await inActivity(activities().replayPage, [{ ...page, deliveryIds: [first] }]);
    await inActivity(activities().replayPage, [{ ...page, deliveryIds: [first, second] }], 2);
    assert.deepEqual(await Promise.all([first, second].map(async (id) => (await attemptsOf(test.db, id)).length)), [1, 1]);
    assert.equal(test.receiver.received.length, 2);
  });

  it('a webhook that was switched off and on gets all succeeded deliveries of a replay', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => delivery('succeeded')));
    for (const is_active of [false, true]) await updateWebhook(test.db, test.workspaceId, test.webhook.id, { is_active }, byTest);
    assert.deepEqual(await replay(ids, ['succeeded']), { retriers: [], goesOn: true });
    assert.equal(test.receiver.received.length, 20);
  });

  it('a replayed pending delivery keeps its retry schedule', async () => {
    const id = await delivery('pending');
    const earlier = await deliveryOf(test.db, id);
    test.receiver.answer = answerWith(500);
    assert.deepEqual(await replay([id], ['pending']), { retriers: [], goesOn: true });
    assert.deepEqual([await deliveryOf(test.db, id), (await attemptsOf(test.db, id)).length], [earlier, 1]);
  });

  it('a cancelled replay attempts nothing', async () => {
    const id = await delivery('failed');
    const { id: replayId } = await buildReplay(test.webhook.id, { status: 'cancelled' });
    const page = { replayId, webhookId: test.webhook.id, deliveryIds: [id], isLast: true, statuses: ['failed' as const] };
    assert.deepEqual(await inActivity(activities().replayPage, [page]), { retriers: [], goesOn: false });
    assert.deepEqual([await statusesOf([id]), test.receiver.received], [['failed'], []]);
  });

  it('a replay skips a delivery whose body was deleted meanwhile', async () => {
    const [gone, kept] = [await delivery('succeeded'), await delivery('succeeded')];
    await rows(test.db, 'UPDATE events e SET body = NULL FROM deliveries d WHERE d.event_id = e.id AND d.id = $1', [gone]);
    const { id: replayId } = await buildReplay(test.webhook.id, { statuses: ['succeeded'] });
    const page = { replayId, webhookId: test.webhook.id, deliveryIds: [gone, kept], isLast: true, statuses: ['succeeded' as const] };
    assert.deepEqual(await inActivity(activities().replayPage, [page]), { retriers: [], goesOn: false });
    assert.deepEqual([(await attemptsOf(test.db, gone)).length, (await attemptsOf(test.db, kept)).length], [0, 1]);
    const { status, attempted, acknowledged } = await Replay.ofWebhook(test.webhook.id, replayId);
    assert.deepEqual([status, attempted, acknowledged], ['completed', 1, 1]);
  });

  it('a replay lists pages without repetition, oldest first', async () => {
    const ids = [await delivery('failed'), await delivery('held'), await delivery('failed')];
    const range = {
      webhookId: test.webhook.id,
      since: new Date(Date.now() - 60_000),
      until: new Date(),
      statuses: ['failed', 'held'],
    } as const;
    const first = await listReplayable(test.db, range, null, 2);
    const second = await listReplayable(test.db, range, first[1] ?? null, 2);
    assert.deepEqual([first, second, await countForReplay(test.db, range)], [ids.slice(0, 2), ids.slice(2), 3]);
  });

  it('a replay lists nothing when its worker stops before all deliveries are settled', async () => {
    await buildBacklog(test.db, test.webhook, { count: 1_200 });
    for (const is_active of [false, true]) await updateWebhook(test.db, test.workspaceId, test.webhook.id, { is_active }, byTest);
    const time = { since: new Date(Date.now() - 60_000).toISOString(), until: new Date().toISOString() };
    const input = { replayId: unknownId(), webhookId: test.webhook.id, ...time, statuses: ['held'] as const };
    const worker = new MockActivityEnvironment();
    const listing = worker.run(() => activities().listReplay(input));
    worker.cancel('WORKER_SHUTDOWN');
    await assert.rejects(listing, { name: 'AbortError' }, 'another worker lists them');
  });

  it('a replay lists short pages for an ordered webhook', async () => {
    for (let count = 0; count < 7; count += 1) await delivery('failed');
    const list = () => {
      const time = { since: new Date(Date.now() - 60_000).toISOString(), until: new Date().toISOString() };
      return inActivity(activities().listReplay, [
        { replayId: unknownId(), webhookId: test.webhook.id, ...time, statuses: ['failed'] as const },
      ]);
    };
    const all = await list();
    await Webhook.update({ ordered: true }, { where: { id: test.webhook.id } });
    const { deliveryIds, isLast } = await list();
    assert.deepEqual([all.deliveryIds.length, all.isLast, deliveryIds, isLast], [7, true, all.deliveryIds.slice(0, 5), false]);
  });

  it('two attempts of one delivery at once are both logged, and a success counts', async () => {
    const id = await delivery('pending');
    const { webhook_id } = await deliveryOf(test.db, id);
    const failed = attemptWith({ id, webhook_id }, { status: 'pending', inSeconds: 0 });
    const manual = { ...attemptWith({ id, webhook_id }, { status: 'succeeded' }), trigger: 'manual' as const };
    assert.deepEqual(await recordAttempts(test.db, [failed, manual]), ['recorded', 'recorded']);
    assert.deepEqual([await statusesOf([id]), (await attemptsOf(test.db, id)).length], [['succeeded'], 2]);
  });
});
