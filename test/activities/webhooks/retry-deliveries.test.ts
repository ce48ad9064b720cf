import assert from 'node:assert/strict';
import type { WebhookPoster } from '../../../activities/webhooks/post-webhook.js';
import { createTestDelivery } from '../../../models/operations/deliveries/create-test-delivery.js';
import { deleteWebhook } from '../../../models/operations/webhooks/delete-webhook.js';
import { Webhook } from '../../../models/tables/webhook.js';
import { until } from '../../support/client.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { attemptsOf, buildBacklog, buildDelivery, deliveryOf, makeDeliveriesDue } from '../../support/rows/deliveries.js';
import { buildWebhook, buildWorkspace } from '../../support/rows/factories.js';
import { endpointForEach } from '../../support/for-each.js';
import { failureOf, inActivity } from '../../support/temporal/in-activity.js';
import { buildSent } from '../../support/rows/messages.js';
import { acknowledge, answerWith } from '../../support/network/receiver.js';
import { byTest } from '../../support/by-test.js';
import { webhookActivities } from '../../support/parts/activities.js';

const delays = [10, 100, 1_000];

describe('retryDeliveries', () => {
  const test = endpointForEach();

  const retry = (...deliveryIds: string[]): Promise<void> => {
    const activities = webhookActivities({ db: test.db, config: testConfig({ WEBHOOK_RETRY_DELAYS: delays.join() }), poster: test.poster });
    return inActivity(activities.retryDeliveries, [{ webhookId: test.webhook.id, deliveryIds }]);
  };
  const assertLengthened = (ms: unknown, seconds: number) =>
    assert.ok(Number(ms) > seconds * 1000 - 2_000 && Number(ms) <= seconds * 1200 + 1, `${ms} ms for ${seconds} s`);

  it('due events are delivered in order', async () => {
    const [one, two] = [await buildDelivery(test.db, test.workspaceId), await buildDelivery(test.db, test.workspaceId)];
    await retry(one.id, two.id);
    const events = await rows<{ event_id: string }>(test.db, 'SELECT event_id FROM deliveries WHERE id = ANY($1::uuid[]) ORDER BY seq', [
      [one.id, two.id],
    ]);
    assert.deepEqual(
      test.receiver.received.map(({ headers }) => headers['webhook-id']),
      events.map(({ event_id }) => event_id),
    );
    assert.deepEqual([(await deliveryOf(test.db, one.id)).status, (await deliveryOf(test.db, two.id)).status], ['succeeded', 'succeeded']);
  });

  it('a failed test does not mark an endpoint as failing', async () => {
    const activities = webhookActivities({ db: test.db, config: testConfig(), poster: test.poster });
    const id = await createTestDelivery(test.db, test.workspaceId, test.webhook.id);
    test.receiver.answer = answerWith(500);
    await failureOf(inActivity(activities.retryDeliveries, [{ webhookId: test.webhook.id, deliveryIds: [id] }]));
    assert.deepEqual([(await deliveryOf(test.db, id)).status, (await attemptsOf(test.db, id))[0]?.trigger], ['failed', 'test']);
    test.receiver.answer = acknowledge;
    const message = await buildSent(test.db, test.workspaceId);
    assert.deepEqual(await inActivity(activities.deliverEvents, [message.group_id]), { children: [], retriers: [] });
    assert.equal(test.receiver.received.length, 3);
  });

  it('a delivery waits for the next delay after each failure, and fails after the last', async () => {
    test.receiver.answer = answerWith(500);
    const { id } = await buildDelivery(test.db, test.workspaceId);
    for (const delay of delays) {
      const failure = await failureOf(retry(id));
      assert.deepEqual([failure.type, failure.nonRetryable], ['DeliveriesPending', false]);
      assertLengthened(failure.nextRetryDelay, delay);
      await makeDeliveriesDue(test.db, id);
    }
    const last = await failureOf(retry(id));
    assert.deepEqual([last.type, last.nonRetryable], ['DeliveriesFailed', true]);
    assert.equal((await deliveryOf(test.db, id)).status, 'failed');
    assert.equal((await attemptsOf(test.db, id)).length, delays.length + 1);
    assert.equal((await failureOf(retry(id))).type, 'DeliveriesFailed', 'and says so again');
    assert.equal(test.receiver.received.length, delays.length + 1);
  });

  it('every attempt of an event has the same id and bytes', async () => {
    test.receiver.answer = (received, response, index) => (index === 0 ? answerWith(503) : acknowledge)(received, response, index);
    const { id } = await buildDelivery(test.db, test.workspaceId);
    await failureOf(retry(id));
    await makeDeliveriesDue(test.db, id);
    await retry(id);
    const [first, second] = test.receiver.received;
    assert.equal(first?.body, second?.body);
    assert.equal(first?.headers['webhook-id'], second?.headers['webhook-id']);
  });

  it('a workspace with many endpoints that hang leaves slots to others', async () => {
    const [hanging, answers]: [number, (() => void)[]] = [100, []];
    const { poster } = test;
    const post: WebhookPoster['post'] = async (...request) => {
      if (request[3] === test.workspaceId) await new Promise<void>((resolve) => answers.push(resolve));
      return poster.post(...request);
    };
    const { retryDeliveries } = webhookActivities({ db: test.db, config: testConfig(), poster: { ...poster, post } });
    const begin = (webhookId: string, deliveryIds: string[]) => inActivity(retryDeliveries, [{ webhookId, deliveryIds }]);
    await buildBacklog(test.db, test.webhook, { count: hanging + 1, carried: false });
    const own = await rows<{ id: string }>(test.db, 'SELECT id FROM deliveries WHERE webhook_id = $1', [test.webhook.id]);
    const [last, ...others] = own.map(({ id }) => id) as [string, ...string[]];
    const running = others.map((id) => begin(test.webhook.id, [id]));
    await until(() => Promise.resolve(answers.length === hanging), 'a fifth of the slots hang');

    const { type, nextRetryDelay } = await failureOf(begin(test.webhook.id, [last]));
    assert.deepEqual([type, nextRetryDelay, answers.length], ['TooManyAttempts', 1_000, hanging]);
    const { id: other } = await buildWorkspace(test.db);
    const { row } = await buildWebhook(other, test.receiver.url);
    const delivery = await buildDelivery(test.db, other);
    await begin(row.id, [delivery.id]);
    assert.equal((await deliveryOf(test.db, delivery.id)).status, 'succeeded');
    for (const answer of answers) answer();
    await Promise.all(running);
  });

  it('no attempt is made before its time', async () => {
    test.receiver.answer = answerWith(500);
    const { id } = await buildDelivery(test.db, test.workspaceId);
    await failureOf(retry(id));
    assertLengthened((await failureOf(retry(id))).nextRetryDelay, 10);
    assert.equal(test.receiver.received.length, 1);
  });

  it('an event waits for the first attempt of an earlier event of its message, and not for its retry', async () => {
    test.receiver.answer = (received, response, index) => (index === 0 ? answerWith(500) : acknowledge)(received, response, index);
    const { id } = await buildSent(test.db, test.workspaceId);
    const [queued, sent] = (await rows<{ id: string }>(test.db, 'SELECT id FROM deliveries WHERE message_id = $1 ORDER BY seq', [id])).map(
      (row) => row.id,
    ) as [string, string];
    assert.ok(Number((await failureOf(retry(queued, sent))).nextRetryDelay) <= 1_000);
    assert.equal(test.receiver.received.length, 1);
    assertLengthened((await failureOf(retry(queued, sent))).nextRetryDelay, 10);
    assert.deepEqual([(await deliveryOf(test.db, queued)).status, (await deliveryOf(test.db, sent)).status], ['pending', 'succeeded']);
  });

  for (const [asked, seconds] of [
    ['50', 50],
    ['3', 10],
    ['999999', 86_400],
    ['soon', 10],
  ] as const) {
    it(`a delivery waits ${seconds} s if the receiver asks for Retry-After: ${asked} and the retry schedule for 10 s`, async () => {
      test.receiver.answer = answerWith(429, { 'Retry-After': asked });
      const { id } = await buildDelivery(test.db, test.workspaceId);
      assertLengthened((await failureOf(retry(id))).nextRetryDelay, seconds);
    });
  }

  it('the deliveries of a paused webhook are held when their retry is due', async () => {
    const { id } = await buildDelivery(test.db, test.workspaceId);
    await Webhook.update({ is_active: false }, { where: { id: test.webhook.id } });
    await retry(id);
    assert.equal((await deliveryOf(test.db, id)).status, 'held');
    assert.deepEqual(test.receiver.received, []);
  });

  it('a deleted webhook gets nothing', async () => {
    const { id } = await buildDelivery(test.db, test.workspaceId);
    await deleteWebhook(test.db, test.workspaceId, test.webhook.id, byTest);
    assert.equal((await failureOf(retry(id))).type, 'DeliveriesFailed');
    assert.deepEqual(test.receiver.received, []);
  });

  it('an endpoint that answers 410 is disabled, and its other deliveries are held', async () => {
    test.receiver.answer = answerWith(410);
    const ids: string[] = [];
    for (let index = 0; index < 20; index += 1) ids.push((await buildDelivery(test.db, test.workspaceId)).id);
    assert.equal((await failureOf(retry(...ids))).type, 'DeliveriesFailed');
    const statuses = await Promise.all(ids.map(async (id) => (await deliveryOf(test.db, id)).status));
    assert.deepEqual(new Set(statuses), new Set(['failed', 'held']));
    assert.ok(test.receiver.received.length <= 16, `${test.receiver.received.length} requests`);
    assert.equal((await Webhook.owned(test.workspaceId, test.webhook.id)).is_active, false);
  });
});
