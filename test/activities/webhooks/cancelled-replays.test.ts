/** After a cancel is answered, no delivery of the replay is sent that had not begun. */
import assert from 'node:assert/strict';
import { cancelReplay } from '../../../models/operations/replays/replay-progress.js';
import type { DeliveryStatus } from '../../../models/tables/delivery.js';
import { rows } from '../../support/database.js';
import { acknowledge, answerWith } from '../../support/network/receiver.js';
import { deliveryOf, makeDeliveriesDue } from '../../support/rows/deliveries.js';
import { failureOf } from '../../support/temporal/in-activity.js';
import { endDeliveries, replayPageOf } from './replay-pages.js';
import { useEndpointWorkers } from './use-endpoint-workers.js';

describe('a replay that is cancelled', () => {
  const { test, worker, queued } = useEndpointWorkers();

  /** A page of a replay, whose deliveries ended with this status. */
  const page = async (status: DeliveryStatus, count: number) => {
    const replay = await replayPageOf(test, await endDeliveries(test, await queued(count), status), status, false);
    return { ...replay, cancel: () => cancelReplay(test.db, test.webhook.id, replay.replayId) };
  };
  const statusesOf = (ids: string[]) => Promise.all(ids.map(async (id) => (await deliveryOf(test.db, id)).status));
  const came = () => test.receiver.received.length;

  for (const status of ['failed', 'held', 'succeeded'] as const) {
    it(`a replay that is cancelled sends no further ${status} delivery, and leaves them ${status}`, async () => {
      await test.webhook.update({ ordered: true });
      const { deliveryIds, run, cancel, counts } = await page(status, 4);
      test.receiver.answer = (...request) => void cancel().then(() => acknowledge(...request));
      assert.deepEqual(await run(), { retriers: [], goesOn: false });
      assert.deepEqual([came(), await counts()], [1, [1, 1]]);
      assert.deepEqual(await statusesOf(deliveryIds), ['succeeded', status, status, status]);
    });
  }

  it('a replay that is cancelled while attempts are in progress begins no others, and records those', async () => {
    const { deliveryIds, run, cancel, counts } = await page('failed', 40);
    let cancelled: Promise<unknown> | undefined;
    test.receiver.answer = (...request) => void (cancelled ??= cancel()).then(() => acknowledge(...request));
    assert.equal((await run()).goesOn, false);
    assert.ok(came() >= 1 && came() <= 16, `${came()} attempts`);
    const found = await statusesOf(deliveryIds);
    assert.deepEqual([await counts(), found.filter((status) => status === 'failed').length], [[came(), came()], 40 - came()]);
  });

  it('a cancelled replay leaves only what it has attempted to the retrier while its receiver asks to wait', async () => {
    await test.webhook.update({ ordered: true });
    const { deliveryIds, run, cancel, counts } = await page('failed', 5);
    test.receiver.answer = (received, response, index) =>
      (index === 1 ? answerWith(429, { 'Retry-After': '30' }) : acknowledge)(received, response, index);
    assert.equal((await failureOf(run())).type, 'ReplayWaits');
    await cancel();
    const left = ['succeeded', 'pending', 'failed', 'failed', 'failed'];
    assert.deepEqual(await statusesOf(deliveryIds), left);
    assert.deepEqual(await run(2), { retriers: [test.webhook.id], goesOn: false });
    assert.deepEqual([await counts(), await statusesOf(deliveryIds)], [[2, 1], left]);
    await rows(test.db, 'UPDATE webhooks SET resume_at = NULL WHERE id = $1', [test.webhook.id]);
    await makeDeliveriesDue(test.db, deliveryIds[1] ?? '');
    await worker().carry();
    assert.deepEqual([came(), await statusesOf(deliveryIds)], [3, ['succeeded', 'succeeded', 'failed', 'failed', 'failed']]);
  });
});
