/** An owner may begin a replay while another one of the same deliveries runs. */
import assert from 'node:assert/strict';
import { claimReplayed } from '../../../models/operations/replays/claim-replayed.js';
import type { DeliveryStatus } from '../../../models/tables/delivery.js';
import { acknowledge, answerWith } from '../../support/network/receiver.js';
import { endDeliveries, replayPageOf } from './replay-pages.js';
import { useEndpointWorkers } from './use-endpoint-workers.js';

describe('two overlapping replays of one webhook', () => {
  const { test, queued } = useEndpointWorkers();

  /** Two replays that have listed the same deliveries, which ended with this status. */
  const overlapping = async (status: DeliveryStatus, count: number) => {
    const deliveryIds = await endDeliveries(test, await queued(count), status);
    return [await replayPageOf(test, deliveryIds, status, true), await replayPageOf(test, deliveryIds, status, true)] as const;
  };
  const counts = (...replays: { counts: () => Promise<number[]> }[]) => Promise.all(replays.map((replay) => replay.counts()));

  it('overlapping replays each count their own attempts of succeeded deliveries only', async () => {
    const [first, second] = await overlapping('succeeded', 3);
    await second.run();
    test.receiver.answer = answerWith(500);
    await first.run();
    assert.deepEqual(await counts(first, second), [
      [3, 0],
      [3, 3],
    ]);
  });

  it('overlapping replays share failed deliveries, and count each of them once', async () => {
    const [first, second] = await overlapping('failed', 3);
    test.receiver.answer = acknowledge;
    await second.run();
    await first.run();
    assert.deepEqual(await counts(first, second), [
      [0, 0],
      [3, 3],
    ]);
  });

  it('overlapping replays each make their attempts when their workers die', async () => {
    const [first, second] = await overlapping('succeeded', 3);
    await first.run();
    await second.run(2);
    assert.deepEqual(await counts(first, second), [
      [3, 3],
      [3, 3],
    ]);
    assert.equal(test.receiver.received.length, 6);
  });

  it('overlapping replays each finish only what they began themselves before their workers died', async () => {
    const [first, second] = await overlapping('failed', 3);
    await claimReplayed(test.db, first.replayId, first.deliveryIds, true);
    for (const attempt of [1, 2]) assert.deepEqual((await second.run(attempt)).retriers, []);
    assert.deepEqual(test.receiver.received, []);
    for (const attempt of [2, 3]) await first.run(attempt);
    assert.deepEqual(await counts(first, second), [
      [3, 3],
      [0, 0],
    ]);
    assert.equal(test.receiver.received.length, 3);
  });
});
