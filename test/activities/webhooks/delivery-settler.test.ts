import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeliverySettler } from '../../../activities/webhooks/delivery-settler.js';
import { repairActivities } from '../../../activities/watch/repair.js';
import type { WorkflowStarts } from '../../../activities/support/workflow-starts.js';
import { connect } from '../../../models/db/database.js';
import type { Pace } from '../../../models/flow/give-way.js';
import { updateWebhook, type WebhookChange } from '../../../models/operations/webhooks/update-webhook.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { buildBacklog } from '../../support/rows/deliveries.js';
import { endpointForEach } from '../../support/for-each.js';
import { inActivity } from '../../support/temporal/in-activity.js';
import { acknowledge, startReceiver } from '../../support/network/receiver.js';
import { silentLogger } from '../../support/carriers/stub-provider.js';
import { byTest } from '../../support/by-test.js';
import { webhookActivities } from '../../support/parts/activities.js';

describe('the retrier of a webhook', () => {
  const test = endpointForEach();

  const carry = () => {
    const { runRetrier } = webhookActivities({ db: test.db, config: testConfig(), poster: test.poster });
    return inActivity(runRetrier, [test.webhook.id]);
  };
  const change = (fields: WebhookChange) => updateWebhook(test.db, test.workspaceId, test.webhook.id, fields, byTest);

  it('the retrier of a webhook holds the deliveries of a paused webhook, and ends', async () => {
    await buildBacklog(test.db, await test.webhook.reload(), { count: 1_200 });
    await change({ is_active: false });
    assert.equal(await carry(), null);
    const left = await rows(test.db, `SELECT 1 FROM deliveries WHERE webhook_id = $1 AND status <> 'held'`, [test.webhook.id]);
    assert.deepEqual([left, test.receiver.received], [[], []]);
  });

  it('the retrier of a webhook sends waiting retries to a new URL', async () => {
    await buildBacklog(test.db, await test.webhook.reload(), { count: 40, ladderStep: 2 });
    const other = await startReceiver();
    await change({ url: other.url });
    assert.equal(await carry(), null);
    assert.deepEqual([other.received.length, test.receiver.received], [40, []]);
    await other.close();
  });

  it('the retrier of a webhook starts no attempt after its worker got a signal to stop', async () => {
    await buildBacklog(test.db, await test.webhook.reload(), { count: 60 });
    const stopping = new AbortController();
    test.receiver.answer = (request, response, index) => {
      stopping.abort();
      acknowledge(request, response, index);
    };
    const deps = { db: test.db, config: testConfig(), poster: test.poster, stopping: stopping.signal };
    assert.equal(await inActivity(webhookActivities(deps).runRetrier, [test.webhook.id]), 0, 'to be called again at once');
    assert.ok(test.receiver.received.length <= 17, `${test.receiver.received.length} attempts, 16 of them at once`);
    assert.equal(await carry(), null);
    assert.equal(test.receiver.received.length, 60);
  });

  it('the retrier of a webhook rests a second at most after a page that took half a minute', async () => {
    await buildBacklog(test.db, await test.webhook.reload(), { count: 1 });
    await change({ is_active: false });
    const slowly = async <Result>(page: () => Promise<Result>): Promise<Result> => {
      const running = page(); // the time of its start is read
      const endsAt = performance.now() + 30_000;
      const clock = mock.method(performance, 'now', () => endsAt);
      return running.finally(() => clock.mock.restore());
    };
    const settled = new DeliverySettler(test.db, test.webhook.id, slowly).onePage();
    assert.notEqual(await Promise.race([settled, sleep(10_000, 'rests', { ref: false })]), 'rests');
    assert.equal(await carry(), null);
  });

  it('the watcher wakes the retrier of a webhook until all deliveries are settled', async () => {
    await buildBacklog(test.db, await test.webhook.reload(), { count: 3 });
    await change({ is_active: false });
    const woken: string[] = [];
    const starts = { wakeRetrier: async (webhookId: string) => void woken.push(webhookId) } as unknown as WorkflowStarts;
    const { repairDeliveries } = repairActivities({ db: test.db, config: testConfig(), logger: silentLogger, starts });
    await repairDeliveries();
    assert.deepEqual(woken, [test.webhook.id]);
    await carry();
    await repairDeliveries();
    assert.deepEqual(woken, [test.webhook.id]);
  });

  it('the retrier of a webhook waits for one turn for each page that it settles', async () => {
    await buildBacklog(test.db, await test.webhook.reload(), { count: 3 });
    await change({ is_active: false });
    let turns = 0;
    let isInTurn = false;
    const counting: Pace = {
      run: async (work) => {
        if (isInTurn) return work();
        turns += 1;
        isInTurn = true;
        return work().finally(() => (isInTurn = false));
      },
      rest: () => Promise.resolve(),
    };
    const db = connect(test.url, 2, { pace: counting });
    const settler = new DeliverySettler(db, test.webhook.id, (page) => page());
    let pages = 1;
    while (await settler.onePage()) pages += 1;
    await db.close();
    assert.deepEqual([turns, pages], [2, 2]);
  });
});
