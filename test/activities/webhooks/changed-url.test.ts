/** An attempt is in progress when the owner of the webhook gives it another URL. */
import assert from 'node:assert/strict';
import { updateWebhook } from '../../../models/operations/webhooks/update-webhook.js';
import { byTest } from '../../support/by-test.js';
import { until } from '../../support/client.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { acknowledge, answerWith, type Receiver, startReceiver } from '../../support/network/receiver.js';
import { buildReplay } from '../../support/rows/factories.js';
import { inActivity } from '../../support/temporal/in-activity.js';
import { webhookOperationActivities } from '../../support/parts/activities.js';
import { useEndpointWorkers } from './use-endpoint-workers.js';

const pendingOf = `SELECT 1 FROM deliveries WHERE webhook_id = $1 AND status = 'pending'`;

describe('an event whose last attempt fails while the URL changes', () => {
  const { test, worker, queued } = useEndpointWorkers();
  let next: Receiver;
  beforeEach(async () => {
    next = await startReceiver();
    const change = { url: next.url };
    test.receiver.answer = (received, response, index) => {
      void updateWebhook(test.db, test.workspaceId, test.webhook.id, change, byTest).then(() => answerWith(500)(received, response, index));
    };
    await test.webhook.update({ retry_delays: [] });
  });
  afterEach(() => next.close());

  const assertDeliveredOnceToEach = async () => {
    await until(async () => (await rows(test.db, pendingOf, [test.webhook.id])).length === 0, 'no pending delivery');
    assert.deepEqual([test.receiver.received.length, next.received.length], [1, 1]);
    assert.equal(next.received[0]?.headers['webhook-id'], test.receiver.received[0]?.headers['webhook-id']);
  };

  it('an event that its group attempted before the URL changed goes to the new URL by its retrier', async () => {
    assert.deepEqual((await worker().deliver(await queued(1))).retriers, [test.webhook.id]);
    assert.equal(await worker().carry(), null);
    await assertDeliveredOnceToEach();
  });

  it('an event that its retrier attempted before the URL changed goes to the new URL in the same call', async () => {
    await test.webhook.update({ ordered: true });
    await worker().deliver(await queued(1));
    assert.equal(await worker().carry(), null);
    await assertDeliveredOnceToEach();
  });
});

describe('events that were read before the owner changes the webhook', () => {
  const { test, worker, queued } = useEndpointWorkers();
  let next: Receiver;
  beforeEach(async () => {
    next = await startReceiver();
  });
  afterEach(() => next.close());

  const change = (changes: { url?: string; is_active?: boolean }) =>
    updateWebhook(test.db, test.workspaceId, test.webhook.id, changes, byTest);
  /** The first request is answered after this change. */
  const duringFirst = (changes: { url?: string; is_active?: boolean }) => {
    let changed: Promise<unknown> | undefined;
    test.receiver.answer = (received, response, index) => {
      changed ??= change(changes);
      void changed.then(() => acknowledge(received, response, index));
    };
  };
  const counts = () => [test.receiver.received.length, next.received.length];

  it('events go to the new URL in all attempts that begin after the change', async () => {
    await test.webhook.update({ ordered: true });
    duringFirst({ url: next.url });
    await worker().deliver(await queued(6));
    assert.equal(await worker().carry(), null);
    assert.deepEqual(counts(), [1, 5]);
  });

  it('events go to the new URL in a replay too, each once', async () => {
    await test.webhook.update({ ordered: true });
    const groupId = await queued(6);
    const succeeded = `UPDATE deliveries SET status = 'succeeded', next_attempt_at = NULL WHERE group_id = $1 RETURNING id`;
    const deliveryIds = (await rows<{ id: string }>(test.db, succeeded, [groupId])).map(({ id }) => id);
    const { id: replayId } = await buildReplay(test.webhook.id, { statuses: ['succeeded'] });
    const { replayPage } = webhookOperationActivities({ db: test.db, config: testConfig(), poster: test.poster });
    duringFirst({ url: next.url });
    const page = { replayId, webhookId: test.webhook.id, deliveryIds, isLast: true, statuses: ['succeeded' as const] };
    await inActivity(replayPage, [page]);
    assert.deepEqual(counts(), [1, 5]);
  });

  it('events are not sent to a changed webhook after a pause, although their turn was taken before it', async () => {
    await test.webhook.update({ rate: 1 });
    const { deliver, carry } = worker();
    await deliver(await queued(1));
    await carry(); // the worker knows the endpoint as healthy now, and attempts several events at once
    test.receiver.answer = (received, response, index) => {
      void change({ is_active: false }).then(() => setTimeout(() => acknowledge(received, response, index), 2_000));
    };
    await deliver(await queued(3));
    await carry();
    assert.equal(test.receiver.received.length, 2);
  });
});
