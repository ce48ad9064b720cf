/** The owner changes a webhook while its retrier works. */
import assert from 'node:assert/strict';
import { inTransaction } from '../../../models/db/database.js';
import { updateWebhook } from '../../../models/operations/webhooks/update-webhook.js';
import { byTest } from '../../support/by-test.js';
import { until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { acknowledge, answerWith } from '../../support/network/receiver.js';
import { useEndpointWorkers } from './use-endpoint-workers.js';

const leaveAll = 'UPDATE deliveries SET carried = true, in_child = true WHERE webhook_id = $1 AND NOT carried';

describe('a webhook that its owner changes while its retrier works', () => {
  const { test, worker, queued, idsReceived, eventIds } = useEndpointWorkers();

  /** Changes the webhook during the first request, which then gets this answer. */
  const duringFirst = (change: { ordered?: boolean; rate?: number }, answer = acknowledge) => {
    test.receiver.answer = (received, response, index) => {
      if (index > 0) return acknowledge(received, response, index);
      void updateWebhook(test.db, test.workspaceId, test.webhook.id, change, byTest).then(() => answer(received, response, index));
    };
  };
  /** So many events that its retrier must attempt. */
  const leftToRetrier = async (count: number) => {
    await queued(count);
    await rows(test.db, leaveAll, [test.webhook.id]);
  };
  /** Calls the retrier until it waits, as its workflow does. @returns milliseconds until its next call */
  const carryUntilRest = async (): Promise<number | null> => {
    const { carry } = worker();
    const waitMs = await carry();
    return waitMs === 0 ? carry() : waitMs;
  };

  it('a webhook that becomes ordered meanwhile gets nothing after a failed event', async () => {
    await leftToRetrier(3);
    duringFirst({ ordered: true }, answerWith(500));
    assert.ok(((await carryUntilRest()) ?? 0) > 10_000, 'the failed event waits for its next attempt');
    assert.deepEqual(idsReceived(), (await eventIds()).slice(0, 1));
  });

  it('a webhook that is no longer ordered gets all other events at once', async () => {
    await test.webhook.update({ ordered: true });
    await leftToRetrier(3);
    duringFirst({ ordered: false }, answerWith(500));
    assert.ok(((await carryUntilRest()) ?? 0) > 10_000, 'the failed event waits for its next attempt');
    assert.deepEqual(new Set(idsReceived()), new Set(await eventIds()));
  });

  it('a webhook whose rate changes meanwhile gets its next events in pages for the new rate', async () => {
    await leftToRetrier(3);
    duringFirst({ rate: 50 });
    const { carry } = worker();
    assert.equal(await carry(), 0, 'the page of the old rate ends');
    assert.equal(await carry(), null);
    assert.deepEqual(new Set(idsReceived()), new Set(await eventIds()));
  });

  it('a webhook that is active again gets new events while old ones are still being held', async () => {
    await leftToRetrier(1);
    const [old] = await eventIds();
    await rows(test.db, `UPDATE deliveries SET next_attempt_at = now() + interval '1 hour' WHERE webhook_id = $1`, [test.webhook.id]);
    const change = (is_active: boolean) => updateWebhook(test.db, test.workspaceId, test.webhook.id, { is_active }, byTest);
    await change(false);
    let work: Promise<unknown> = Promise.resolve();
    await inTransaction(test.db, async (transaction) => {
      // As long as it is locked, it cannot be held, and the retrier looks for it again and again.
      await test.db.query('SELECT 1 FROM deliveries FOR UPDATE', { transaction });
      work = worker().carry();
      const hasBegun = 'SELECT 1 FROM webhooks WHERE id = $1 AND carrier_looks_at IS NOT NULL';
      await until(async () => (await rows(test.db, hasBegun, [test.webhook.id])).length === 1, 'the retrier works');
      await change(true);
      await leftToRetrier(1);
      await until(() => idsReceived().length === 1, 'the new event is attempted');
    });
    await work;
    assert.deepEqual([old, ...idsReceived()], await eventIds());
  });
});
