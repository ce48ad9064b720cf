/** The owner changes the order or the rate of a webhook while its retrier attempts deliveries. */
import assert from 'node:assert/strict';
import { updateWebhook } from '../../../models/operations/webhooks/update-webhook.js';
import { byTest } from '../../support/by-test.js';
import { rows } from '../../support/database.js';
import { acknowledge, answerWith } from '../../support/network/receiver.js';
import { useEndpointWorkers } from './use-endpoint-workers.js';

const leaveAll = 'UPDATE deliveries SET carried = true, in_child = true WHERE webhook_id = $1';

describe('a webhook that its owner changes during an attempt of its retrier', () => {
  const { test, worker, queued, idsReceived, eventIds } = useEndpointWorkers();

  /** Changes the webhook during the first request, which then gets this answer. */
  const duringFirst = (changes: { ordered?: boolean; rate?: number }, answer = acknowledge) => {
    const change = { url: undefined, events: undefined, description: undefined, ...changes };
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

  it('gets nothing after a failed event once it is ordered', async () => {
    await leftToRetrier(3);
    duringFirst({ ordered: true }, answerWith(500));
    assert.ok(((await carryUntilRest()) ?? 0) > 10_000, 'the failed event waits for its next attempt');
    assert.deepEqual(idsReceived(), (await eventIds()).slice(0, 1));
  });

  it('gets all other events at once when it is no longer ordered', async () => {
    await test.webhook.update({ ordered: true });
    await leftToRetrier(3);
    duringFirst({ ordered: false }, answerWith(500));
    assert.ok(((await carryUntilRest()) ?? 0) > 10_000, 'the failed event waits for its next attempt');
    assert.deepEqual(new Set(idsReceived()), new Set(await eventIds()));
  });

  it('gets its next events in pages for its new rate', async () => {
    await leftToRetrier(3);
    duringFirst({ rate: 50 });
    const { carry } = worker();
    assert.equal(await carry(), 0, 'the page of the old rate ends');
    assert.equal(await carry(), null);
    assert.deepEqual(new Set(idsReceived()), new Set(await eventIds()));
  });
});
