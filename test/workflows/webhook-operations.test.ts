import assert from 'node:assert/strict';
import { workflowIds } from '../../workflows/contract.js';
import { until } from '../support/client.js';
import { rows } from '../support/database.js';
import { acknowledge, answerWith, type Received } from '../support/network/receiver.js';
import { assertSignedBy, isHexOf } from '../support/network/signatures.js';
import { hasEnded, longAgo, triggersOf, useWebhookService } from './use-webhook-service.js';

describe('webhook operations, on the real service', () => {
  const stage = useWebhookService();
  const { call, data, deliveries, deliveryUntil, testDelivery, resend, replay, replayUntil, activate } = stage;

  it('a test of a webhook is one signed attempt, and returns its outcome', async () => {
    const { event, message_id, status, attempts, next_attempt_at, delivered_at } = await testDelivery();
    assert.deepEqual([event, message_id, status, next_attempt_at, delivered_at !== null], ['webhook.test', null, 'succeeded', null, true]);
    assert.deepEqual([attempts.length, attempts[0].number, attempts[0].trigger, attempts[0].response_body], [1, 1, 'test', 'ok']);
    const received = stage.receiver.received.at(-1) as Received;
    assertSignedBy(stage.hook.secret, received);
    assert.ok(isHexOf(stage.hook.secret, received));
    assert.equal(received.headers['x-service-event'], 'webhook.test');
    assert.deepEqual(JSON.parse(received.body).data, { webhook_id: stage.hook.id });
    const { url, request_headers, response_headers, timings, remote_address } = attempts[0];
    assert.deepEqual([url, remote_address, typeof timings.tls_ms, timings.dns_ms], [stage.receiver.url, '127.0.0.1', 'number', null]);
    assert.equal(request_headers['webhook-id'], received.headers['webhook-id']);
    assert.deepEqual([request_headers['webhook-signature'], request_headers['x-service-signature']], ['v1,***', '***']);
    assert.ok(response_headers.date !== undefined);
  });

  it('a failed test of a webhook is not attempted again', async () => {
    stage.receiver.answer = answerWith(500);
    const { id, status, attempts, next_attempt_at } = await testDelivery();
    assert.deepEqual([status, attempts.length, attempts[0].response_status, next_attempt_at], ['failed', 1, 500, null]);
    stage.receiver.answer = acknowledge;
    await stage.send();
    await deliveryUntil(({ event, attempts }) => event === 'message.queued' && attempts.length === 1);
    const [row] = await rows<{ in_child: boolean }>(
      stage.service.db,
      `SELECT in_child FROM deliveries WHERE webhook_id = $1 AND event = 'message.queued'`,
      [stage.hook.id],
    );
    assert.equal(row?.in_child, false);
    const test = (await deliveries()).find((delivery) => delivery.id === id);
    assert.deepEqual(triggersOf(test), ['test']);
  });

  it('a test of a webhook that hangs returns pending', async () => {
    stage.receiver.answer = () => undefined;
    const started = Date.now();
    const { delivery } = await data('POST', '/test');
    assert.deepEqual([delivery.status, delivery.attempts], ['pending', []]);
    assert.ok(Date.now() - started < 15_000);
  });

  it('a resend has the same id and bytes, and a success ends the delivery', async () => {
    stage.receiver.answer = answerWith(500);
    await stage.send();
    const failed = await deliveryUntil(hasEnded);
    assert.deepEqual([failed.status, failed.attempts.length], ['failed', 3]);
    assert.deepEqual(triggersOf(await resend(failed.id)), ['scheduled', 'scheduled', 'scheduled', 'manual']);
    const still = await deliveryUntil(({ attempts }) => attempts.length === 4);
    assert.deepEqual([still.status, still.next_attempt_at], ['failed', null]);
    stage.receiver.answer = acknowledge;
    await until(() => Date.now() / 1000 - Number(stage.receiver.received[0]?.headers['webhook-timestamp']) > 1.5, 'another second begins');
    const succeeded = await resend(failed.id);
    assert.deepEqual([succeeded.status, succeeded.attempts.length, succeeded.delivered_at !== null], ['succeeded', 5, true]);
    const [first, last] = [stage.receiver.received[0], stage.receiver.received.at(-1)] as [Received, Received];
    assert.deepEqual([last.body, last.headers['webhook-id']], [first.body, first.headers['webhook-id']]);
    assert.ok(Number(last.headers['webhook-timestamp']) > Number(first.headers['webhook-timestamp']));
    assert.notEqual(last.headers['webhook-signature'], first.headers['webhook-signature']);
    assertSignedBy(stage.hook.secret, last);
    assert.ok(isHexOf(stage.hook.secret, last));
    const again = await resend(failed.id);
    assert.deepEqual([again.status, again.attempts.length, again.delivered_at], ['succeeded', 6, succeeded.delivered_at]);
    const answerOf = async () => (await data('POST', `/deliveries/${failed.id}/resend`)).delivery;
    await until(async () => (await deliveries())[0].attempts.length < (await answerOf()).attempts.length, 'an answer has its outcome');
  });

  it('a running retry schedule goes on after a resend that failed', async () => {
    stage.receiver.answer = (received, response) => answerWith(503, { 'Retry-After': '8' })(received, response, 0);
    await stage.send();
    // What the endpoint asked for holds from a moment after the attempt is shown, which may itself be newer than its delivery.
    await until(async () => (await data('GET', '')).webhook.failing_since !== null, 'the pause is noted');
    const earlier = await deliveryUntil(({ attempts, next_attempt_at }) => attempts.length === 1 && next_attempt_at > attempts[0].at);
    stage.receiver.answer = (received, response) => answerWith(503)(received, response, 0); // it asks for no other time
    const afterwards = await resend(earlier.id);
    assert.deepEqual(
      [afterwards.status, afterwards.next_attempt_at, triggersOf(afterwards)],
      ['pending', earlier.next_attempt_at, ['scheduled', 'manual']],
    );
    stage.receiver.answer = acknowledge;
    const ended = await deliveryUntil(hasEnded);
    assert.deepEqual([ended.status, triggersOf(ended)], ['succeeded', ['scheduled', 'manual', 'scheduled']]);
    assert.ok(Date.parse(ended.attempts[2].at) >= Date.parse(earlier.next_attempt_at) - 5);
  });

  it('a running retry schedule ends after an acknowledged resend', async () => {
    stage.receiver.answer = (received, response) => answerWith(503, { 'Retry-After': '15' })(received, response, 0);
    await stage.send();
    const waiting = await deliveryUntil(({ attempts }) => attempts.length === 1);
    stage.receiver.answer = acknowledge;
    assert.equal((await resend(waiting.id)).status, 'succeeded');
    const retrier = stage.service.temporal.client.workflow.getHandle(workflowIds.retrier(waiting.webhook_id));
    await until(async () => (await retrier.describe()).status.name === 'COMPLETED', 'the retry schedule ends well');
    assert.equal(stage.receiver.received.length, 2);
  });

  it('events of an inactive ordered webhook are held, and a replay sends them in order', async () => {
    await data('PUT', '', { ordered: true, is_active: false });
    const sent: string[] = [];
    for (let index = 0; index < 3; index += 1) sent.push((await stage.send()).id);
    for (const id of sent) await stage.client.messageUntil(stage.account, id, ({ status }) => status === 'delivered');
    const held = await deliveries();
    assert.deepEqual(
      held.map(({ status }) => status),
      ['held', 'held', 'held'],
    );
    for (const [path, body] of [['/test'], ['/replay', { since: longAgo }], [`/deliveries/${held[0].id}/resend`]] as [string, object?][]) {
      assert.equal((await call('POST', path, body)).status, 409, path);
    }
    await activate(true);
    assert.deepEqual([stage.receiver.received.length, (await deliveries())[0].status], [0, 'held'], 'activating sends nothing');
    assert.equal((await replay()).matched, 3);
    const received = await stage.receiver.untilReceived(3);
    assert.deepEqual(
      received.map(({ body }) => JSON.parse(body).data.message_id),
      sent,
    );
    await until(async () => (await deliveries()).every(({ status }) => status === 'succeeded'), 'all succeed');
    assert.deepEqual((await deliveries()).map(triggersOf), [['replay'], ['replay'], ['replay']]);
  });

  it('a replayed failure gets a new retry schedule', async () => {
    stage.receiver.answer = answerWith(500);
    await stage.send();
    await deliveryUntil(hasEnded);
    stage.receiver.answer = (received, response, index) => (index < 5 ? answerWith(500) : acknowledge)(received, response, index);
    await replay({ status: 'failed' });
    const ended = await deliveryUntil(({ status }) => status === 'succeeded');
    assert.deepEqual(triggersOf(ended), ['scheduled', 'scheduled', 'scheduled', 'replay', 'scheduled', 'scheduled']);
    assert.equal(new Set(stage.receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1);
  });

  it('a succeeded delivery is sent once more by a replay', async () => {
    await stage.send();
    await deliveryUntil(hasEnded);
    stage.receiver.answer = answerWith(500);
    await replay({ status: 'succeeded' });
    const ended = await deliveryUntil(({ attempts }) => attempts.length === 2);
    assert.deepEqual([ended.status, triggersOf(ended)], ['succeeded', ['scheduled', 'replay']]);
  });

  it('a replay that is cancelled during its attempts leaves the rest to the next replay', async () => {
    await activate(false);
    const recipients = Array.from({ length: 120 }, (_, index) => `+1555123${String(index).padStart(4, '0')}`);
    const body = { channel: 'sms', content: { text: 'Hello' }, recipients };
    const bulk = await stage.client.call('POST', '/api/v1/messages/bulk', { body, headers: { 'X-API-Key': stage.account.apiKey } });
    assert.equal(bulk.status, 201, JSON.stringify(bulk.body));
    await until(async () => (await data('GET', '/deliveries?status=held')).pagination.total === 120, 'all are held');
    await activate(true);
    assert.equal((await replay({ dry_run: true })).matched, 120);

    const answers: (() => void)[] = [];
    stage.receiver.answer = (received, response, index) => void answers.push(() => acknowledge(received, response, index));
    const first = await replay();
    await until(() => answers.length > 0, 'the first attempts are in progress');
    assert.equal((await data('POST', `/replays/${first.id}/cancel`)).replay.status, 'cancelled');
    stage.receiver.answer = acknowledge;
    for (const answer of answers) answer();
    const cancelled = await replayUntil(first.id, ({ attempted }) => attempted > 0);
    const begun = stage.receiver.received.length;
    assert.ok(begun <= 16, `${begun} attempts`);
    assert.deepEqual([cancelled.status, cancelled.matched, cancelled.attempted, cancelled.acknowledged], ['cancelled', 120, begun, begun]);
    const workflow = stage.service.temporal.client.workflow.getHandle(`replay:${first.id}`);
    await until(async () => (await workflow.describe()).status.name === 'COMPLETED', 'the replay ends');
    const held = (await data('GET', '/deliveries?status=held')).pagination.total;
    assert.deepEqual([stage.receiver.received.length, held], [begun, 120 - begun]);

    const second = await replay();
    assert.equal(second.matched, held);
    const completed = await replayUntil(second.id, ({ status }) => status === 'completed');
    assert.deepEqual([completed.attempted, completed.acknowledged, completed.ended_at !== null], [held, held, true]);
    assert.equal((await data('GET', '/deliveries?status=succeeded')).pagination.total, 120);
    assert.equal(new Set(stage.receiver.received.map(({ headers }) => headers['webhook-id'])).size, 120);
    assert.equal(stage.receiver.received.length, 120);
  });

  it('a webhook whose resend is answered with 410 is disabled', async () => {
    await stage.send();
    const { id } = await deliveryUntil(hasEnded);
    stage.receiver.answer = answerWith(410);
    assert.equal((await resend(id)).status, 'succeeded');
    await until(async () => !(await data('GET', '')).webhook.is_active, 'it is disabled');
  });
});
