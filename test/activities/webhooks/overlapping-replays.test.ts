/** An owner may begin a replay while another one of the same deliveries runs. */
import assert from 'node:assert/strict';
import { webhookOperationActivities } from '../../../activities/webhooks/webhook-operations.js';
import { claimReplayed } from '../../../models/operations/webhooks/claim-replayed.js';
import type { DeliveryStatus } from '../../../models/tables/delivery.js';
import { Replay } from '../../../models/tables/replay.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { acknowledge, answerWith } from '../../support/network/receiver.js';
import { buildReplay } from '../../support/rows/factories.js';
import { inActivity } from '../../support/temporal/in-activity.js';
import { useEndpointWorkers } from './use-endpoint-workers.js';

const ended = 'UPDATE deliveries SET status = $2, next_attempt_at = NULL WHERE group_id = $1 RETURNING id';

describe('two overlapping replays of one webhook', () => {
  const { test, queued } = useEndpointWorkers();

  /** Two replays that have listed the same deliveries, which ended with this status. */
  const overlapping = async (status: DeliveryStatus, count: number) => {
    const deliveryIds = (await rows<{ id: string }>(test.db, ended, [await queued(count), status])).map(({ id }) => id);
    const begun = [];
    for (let index = 0; index < 2; index += 1) {
      const { id: replayId } = await buildReplay(test.webhook.id, { statuses: [status] });
      const { replayPage } = webhookOperationActivities({ db: test.db, config: testConfig(), poster: test.poster });
      const input = { replayId, webhookId: test.webhook.id, deliveryIds, isLast: true, statuses: [status] };
      begun.push({ replayId, deliveryIds, run: (attempt = 1) => inActivity(replayPage, [input], attempt) });
    }
    return begun as [(typeof begun)[0], (typeof begun)[0]];
  };
  const counts = async (...replays: { replayId: string }[]) => {
    const found = await Promise.all(replays.map(({ replayId }) => Replay.ofWebhook(test.webhook.id, replayId)));
    return found.map(({ attempted, acknowledged }) => [attempted, acknowledged]);
  };

  it('each count their own attempts of succeeded deliveries only', async () => {
    const [first, second] = await overlapping('succeeded', 3);
    await second.run();
    test.receiver.answer = answerWith(500);
    await first.run();
    assert.deepEqual(await counts(first, second), [
      [3, 0],
      [3, 3],
    ]);
  });

  it('share failed deliveries, and count each of them once', async () => {
    const [first, second] = await overlapping('failed', 3);
    test.receiver.answer = acknowledge;
    await second.run();
    await first.run();
    assert.deepEqual(await counts(first, second), [
      [0, 0],
      [3, 3],
    ]);
  });

  it('each make their attempts when their workers die', async () => {
    const [first, second] = await overlapping('succeeded', 3);
    await first.run();
    await second.run(2);
    assert.deepEqual(await counts(first, second), [
      [3, 3],
      [3, 3],
    ]);
    assert.equal(test.receiver.received.length, 6);
  });

  it('each finish only what they began themselves before their workers died', async () => {
    const [first, second] = await overlapping('failed', 3);
    await claimReplayed(test.db, first.replayId, true, first.deliveryIds);
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
