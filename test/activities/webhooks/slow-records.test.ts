import assert from 'node:assert/strict';
import { Attempts } from '../../../activities/webhooks/attempts.js';
import { inTransaction, select } from '../../../models/db/database.js';
import { deliveriesIn } from '../../../models/operations/deliveries/due-deliveries.js';
import { testConfig } from '../../support/config.js';
import { endpointForEach } from '../../support/for-each.js';
import { untilLockWait } from '../../support/lock-table.js';
import { buildDeliveries, deliveryOf } from '../../support/rows/deliveries.js';
import { buildWebhook } from '../../support/rows/factories.js';

describe('the outcome of an attempt', () => {
  const test = endpointForEach();

  it('the outcome of an attempt is stored while that of another webhook waits for a lock', async () => {
    await buildWebhook(test.workspaceId, test.receiver.url);
    const [one, other] = (await buildDeliveries(test.db, test.workspaceId)).map(({ id }) => id) as [string, string];
    const attempts = new Attempts({ db: test.db, config: testConfig(), poster: test.poster });
    const attempt = async (id: string) =>
      attempts.attemptInOrder(await deliveriesIn(test.db, [id], ['pending']), { trigger: 'manual', followsSchedule: false });
    let isOver = false;
    let waiting: Promise<unknown> = Promise.resolve();
    await inTransaction(test.db, async (transaction) => {
      await select(test.db, 'SELECT 1 AS one FROM deliveries WHERE id = $1 FOR UPDATE', [one], transaction);
      waiting = attempt(one).finally(() => (isOver = true));
      await untilLockWait(test.db, 'the first outcome waits');
      await attempt(other);
      assert.equal(isOver, false, 'the row is locked');
    });
    await waiting;
    assert.deepEqual([(await deliveryOf(test.db, one)).status, (await deliveryOf(test.db, other)).status], ['succeeded', 'succeeded']);
  });
});
