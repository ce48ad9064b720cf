/** The rate of a webhook is one for its retrier, its replays and requested attempts, in whichever process they run. */
import assert from 'node:assert/strict';
import { createTestDelivery } from '../../../models/operations/deliveries/create-test-delivery.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { buildReplay } from '../../support/rows/factories.js';
import { inActivity } from '../../support/temporal/in-activity.js';
import { webhookOperationActivities } from '../../support/parts/activities.js';
import { useEndpointWorkers } from './use-endpoint-workers.js';

const idsOf = 'SELECT id FROM deliveries WHERE group_id = $1 ORDER BY seq';
const succeeded = `UPDATE deliveries SET status = 'succeeded', next_attempt_at = NULL WHERE group_id = $1`;
const halfOpen = `
  UPDATE webhooks SET failures = 10, failing_since = now(), pause_seconds = 5, resume_at = now() - interval '1 second' WHERE id = $1`;

const spreadOf = `
  SELECT count(*) AS attempts, extract(epoch FROM max(at) - min(at))::double precision * 1000 AS ms
  FROM delivery_attempts WHERE delivery_id IN (SELECT id FROM deliveries WHERE webhook_id = $1)`;

describe('a webhook with a rate', () => {
  const { test, worker, queued } = useEndpointWorkers();

  /** What another worker runs, which knows nothing of the first one. */
  const operations = () => webhookOperationActivities({ db: test.db, config: testConfig(), poster: test.poster });
  /** A replay of so many succeeded deliveries, in a process of its own. */
  const replay = async (count: number) => {
    const groupId = await queued(count);
    await rows(test.db, succeeded, [groupId]);
    const deliveryIds = (await rows<{ id: string }>(test.db, idsOf, [groupId])).map(({ id }) => id);
    const { id: replayId } = await buildReplay(test.webhook.id, { statuses: ['succeeded'] });
    const page = { replayId, webhookId: test.webhook.id, deliveryIds, isLast: true, statuses: ['succeeded' as const] };
    return () => inActivity(operations().replayPage, [page]);
  };
  const send = async (trigger: 'manual' | 'test') => {
    const deliveryId = await createTestDelivery(test.db, test.workspaceId, test.webhook.id);
    return inActivity(operations().attemptNow, [{ deliveryId, trigger }]);
  };
  /** From the beginning of the first attempt to that of the last. On a busy machine, requests arrive later, each by another time. */
  const spread = async () => (await rows<{ ms: number; attempts: number }>(test.db, spreadOf, [test.webhook.id]))[0];

  it('a webhook with a rate gets no more attempts a second from its retrier and two replays together', async () => {
    await test.webhook.update({ rate: 10 });
    const replays = [await replay(7), await replay(7)];
    await worker().deliver(await queued(7));
    await Promise.all([worker().carry(), ...replays.map((begin) => begin())]);
    const { ms, attempts } = (await spread()) ?? {};
    assert.equal(attempts, 21);
    assert.ok(ms !== undefined && ms > 1_500, `20 pauses of 100 ms, but not ${ms} ms`);
  });

  it('a webhook with a rate gets its probe in its turn, and so everything after it', async () => {
    await test.webhook.update({ rate: 2 });
    await worker().deliver(await queued(2));
    await rows(test.db, halfOpen, [test.webhook.id]);
    await Promise.all([send('manual'), send('test')]);
    assert.equal(await worker().carry(), null);
    const { ms, attempts } = (await spread()) ?? {};
    assert.equal(attempts, 4);
    assert.ok(ms !== undefined && ms > 1_200, `three pauses of 500 ms, but not ${ms} ms`);
  });

  it('a webhook with a rate makes a requested attempt wait in Temporal while many others have turns before it', async () => {
    await test.webhook.update({ rate: 1 });
    await rows(test.db, `UPDATE webhooks SET paced_until = now() + interval '10 seconds' WHERE id = $1`, [test.webhook.id]);
    await assert.rejects(send('test'), { type: 'RateReached' });
    assert.deepEqual(test.receiver.received, []);
  });
});
