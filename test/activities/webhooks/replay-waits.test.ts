/** A replay of thousands of deliveries may be more than its receiver can take. */
import assert from 'node:assert/strict';
import { updateWebhook } from '../../../models/operations/webhooks/update-webhook.js';
import { Replay } from '../../../models/tables/replay.js';
import { byTest } from '../../support/by-test.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { acknowledge, answerWith } from '../../support/network/receiver.js';
import { buildReplay } from '../../support/rows/factories.js';
import { failureOf, inActivity } from '../../support/temporal/in-activity.js';
import { webhookOperationActivities } from '../../support/parts/activities.js';
import { useEndpointWorkers } from './use-endpoint-workers.js';

const busy = answerWith(429, { 'Retry-After': '30' });
const ended = 'UPDATE deliveries SET status = $2, next_attempt_at = NULL, ladder_step = 3 WHERE group_id = $1 RETURNING id';

describe('a replay whose receiver asks to wait', () => {
  const { test, queued } = useEndpointWorkers();

  const page = async (status: 'failed' | 'succeeded') => {
    await test.webhook.update({ ordered: true });
    const deliveryIds = (await rows<{ id: string }>(test.db, ended, [await queued(5), status])).map(({ id }) => id);
    const { id: replayId } = await buildReplay(test.webhook.id, { statuses: [status] });
    const { replayPage } = webhookOperationActivities({ db: test.db, config: testConfig(), poster: test.poster });
    const input = { replayId, webhookId: test.webhook.id, deliveryIds, isLast: true, statuses: [status] };
    return { run: (attempt: number) => inActivity(replayPage, [input], attempt), replayId };
  };
  const setWait = (wait: string) =>
    rows(test.db, 'UPDATE webhooks SET resume_at = now() + $2::interval WHERE id = $1', [test.webhook.id, wait]);
  const came = () => test.receiver.received.length;

  for (const status of ['failed', 'succeeded'] as const) {
    it(`a replay sends no ${status} delivery before the requested time is over, and then the rest`, async () => {
      const { run, replayId } = await page(status);
      test.receiver.answer = (received, response, index) => (index === 1 ? busy : acknowledge)(received, response, index);
      for (const attempt of [1, 2]) {
        const { type, nextRetryDelay } = await failureOf(run(attempt));
        assert.equal(type, 'ReplayWaits');
        assert.ok(Number(nextRetryDelay) > 25_000 && Number(nextRetryDelay) <= 30_000, String(nextRetryDelay));
        assert.equal(came(), 2);
      }
      await setWait('-1 second');
      assert.equal((await run(3)).goesOn, false);
      const { attempted, acknowledged } = await Replay.ofWebhook(test.webhook.id, replayId);
      assert.deepEqual([came(), attempted, acknowledged], [5, 5, 4]);
    });
  }

  it('a replay attempts each delivery once although its receiver asks to wait, also without a retry schedule', async () => {
    const { run, replayId } = await page('failed');
    await test.webhook.update({ retry_delays: [] });
    test.receiver.answer = busy;
    for (const attempt of [1, 2, 3, 4]) {
      assert.equal((await failureOf(run(attempt))).type, 'ReplayWaits');
      await setWait('-1 second');
    }
    assert.equal((await run(5)).goesOn, false);
    const events = test.receiver.received.map(({ headers }) => headers['webhook-id']);
    const { attempted } = await Replay.ofWebhook(test.webhook.id, replayId);
    assert.deepEqual([events.length, new Set(events).size, attempted], [5, 5, 5]);
  });

  it('a replay whose receiver asks to wait stops when its webhook became inactive meanwhile', async () => {
    const { run, replayId } = await page('failed');
    test.receiver.answer = busy;
    assert.equal((await failureOf(run(1))).type, 'ReplayWaits');
    const paused = { is_active: false };
    await updateWebhook(test.db, test.workspaceId, test.webhook.id, paused, byTest);
    assert.equal((await run(2)).goesOn, false);
    assert.deepEqual([(await Replay.ofWebhook(test.webhook.id, replayId)).status, came()], ['stopped', 1]);
  });

  it('a replay whose receiver asks to wait ends at once after its last delivery', async () => {
    const { run } = await page('failed');
    test.receiver.answer = (received, response, index) => (index === 4 ? busy : acknowledge)(received, response, index);
    assert.equal((await run(1)).goesOn, false);
    assert.equal(came(), 5);
  });

  it('a replay begins at once although the receiver asked to wait before it', async () => {
    const { run } = await page('failed');
    await setWait('1 hour');
    await run(1);
    assert.equal(came(), 5);
  });
});
