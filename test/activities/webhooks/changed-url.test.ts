/** An attempt is in progress when the owner of the webhook gives it another URL. */
import assert from 'node:assert/strict';
import { updateWebhook } from '../../../models/operations/webhooks/update-webhook.js';
import { byTest } from '../../support/by-test.js';
import { until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { answerWith, type Receiver, startReceiver } from '../../support/network/receiver.js';
import { useEndpointWorkers } from './use-endpoint-workers.js';

const pendingOf = `SELECT 1 FROM deliveries WHERE webhook_id = $1 AND status = 'pending'`;

describe('an event whose last attempt fails while the URL changes', () => {
  const { test, worker, queued } = useEndpointWorkers();
  let next: Receiver;
  beforeEach(async () => {
    next = await startReceiver();
    const change = { url: next.url, events: undefined, description: undefined };
    test.receiver.answer = (received, response, index) => {
      void updateWebhook(test.db, test.workspaceId, test.webhook.id, change, byTest).then(() => answerWith(500)(received, response, index));
    };
    await test.webhook.update({ retry_delays: [] });
  });
  afterEach(() => next.close());

  const isDelivered = async () => {
    await until(async () => (await rows(test.db, pendingOf, [test.webhook.id])).length === 0, 'no pending delivery');
    assert.deepEqual([test.receiver.received.length, next.received.length], [1, 1]);
    assert.equal(next.received[0]?.headers['webhook-id'], test.receiver.received[0]?.headers['webhook-id']);
  };

  it('goes to the new URL by its retrier, after a first attempt by its group', async () => {
    assert.deepEqual((await worker().deliver(await queued(1))).retriers, [test.webhook.id]);
    assert.equal(await worker().carry(), null);
    await isDelivered();
  });

  it('goes to the new URL in the same call of its retrier', async () => {
    await test.webhook.update({ ordered: true });
    await worker().deliver(await queued(1));
    assert.equal(await worker().carry(), null);
    await isDelivered();
  });
});
