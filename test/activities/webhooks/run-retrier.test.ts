import assert from 'node:assert/strict';
import { Attempts } from '../../../activities/webhooks/attempts.js';
import { webhookActivities } from '../../../activities/webhooks/webhooks.js';
import { until } from '../../support/client.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { attemptsOf, buildDelivery, deliveryOf, makeDeliveriesDue } from '../../support/rows/deliveries.js';
import { buildWebhook } from '../../support/rows/factories.js';
import { acceptedAs, buildClaimed } from '../../support/rows/messages.js';
import { recordHandoffs } from '../../support/rows/reports.js';
import { letTimePass } from '../../support/shift-clock.js';
import { acknowledge, answerWith, startReceiver } from '../../support/network/receiver.js';
import { inActivity } from '../../support/temporal/in-activity.js';
import { impatientMs, secondsUntil, useEndpointWorkers } from './use-endpoint-workers.js';

/** Longer than the answer of a healthy endpoint takes. */
const slowMs = 2_100;

describe('an endpoint', () => {
  const { test, worker, queued, idsReceived, eventIds } = useEndpointWorkers();

  it('an endpoint delays a group only briefly when it hangs, and gets no second attempt', async () => {
    let finish: () => unknown = () => assert.fail('nothing came');
    test.receiver.answer = (_received, response) => {
      finish = () => response.writeHead(200).end();
    };
    const { retriers } = await worker(undefined, impatientMs).deliver(await queued(1));
    assert.deepEqual(retriers, [test.webhook.id]);
    const [delivery] = await rows<{ id: string }>(test.db, 'SELECT id FROM deliveries WHERE webhook_id = $1', [test.webhook.id]);
    const id = delivery?.id ?? '';
    assert.deepEqual(await attemptsOf(test.db, id), [], 'the group went on before there was an answer');
    assert.ok(((await worker().carry()) ?? 0) > 5_000, 'the retrier leaves it to whoever began it');
    await test.receiver.untilReceived(1);
    finish();
    await until(async () => (await deliveryOf(test.db, id)).status === 'succeeded', 'the attempt is recorded');
    assert.equal(await worker().carry(), null);
    assert.equal(test.receiver.received.length, 1);
  });

  it('an endpoint gets no event before an earlier one of its retrier', async () => {
    const claim = await buildClaimed(test.db, test.workspaceId);
    await rows(test.db, 'UPDATE deliveries SET carried = true, in_child = true WHERE message_id = $1', [claim.id]);
    await recordHandoffs(test.db, [acceptedAs(claim)]);
    const [{ group_id } = { group_id: '' }] = await rows<{ group_id: string }>(test.db, 'SELECT group_id FROM messages WHERE id = $1', [
      claim.id,
    ]);
    await worker().deliver(group_id);
    assert.deepEqual(test.receiver.received, []);
    assert.equal(await worker().carry(), null);
    assert.deepEqual(idsReceived(), await eventIds());
  });

  it('an endpoint is retried by its own retry schedule', async () => {
    test.receiver.answer = answerWith(500);
    await test.webhook.update({ retry_delays: [600] });
    const { id, group_id } = await buildDelivery(test.db, test.workspaceId);
    await worker().deliver(group_id);
    const seconds = secondsUntil((await deliveryOf(test.db, id)).next_attempt_at);
    assert.ok(seconds > 590 && seconds <= 720, `${seconds} s`);
    await makeDeliveriesDue(test.db, id);
    assert.equal(await worker().carry(), null);
    assert.equal((await deliveryOf(test.db, id)).status, 'failed', 'one further attempt was all');
  });

  it('an endpoint gets nothing when its secret cannot be decrypted, and delays no other', async () => {
    const other = await startReceiver();
    await buildWebhook(test.workspaceId, other.url);
    await test.webhook.update({ secret: Buffer.alloc(60) });
    await worker().deliver(await queued(1));
    assert.equal(other.received.length, 1);
    assert.deepEqual(test.receiver.received, []);
    const [own] = await rows<{ id: string; status: string }>(test.db, 'SELECT id, status FROM deliveries WHERE webhook_id = $1', [
      test.webhook.id,
    ]);
    assert.equal(own?.status, 'pending');
    assert.deepEqual(
      (await attemptsOf(test.db, own?.id ?? '')).map(({ error }) => error),
      ['undecryptable_secret'],
    );
    assert.equal((await test.webhook.reload()).failing_since, null, 'no fault of the endpoint');
    await other.close();
  });

  it('an endpoint gets one event at a time when it is ordered, and none after a failed one', async () => {
    await test.webhook.update({ ordered: true });
    test.receiver.answer = answerWith(500);
    for (const groupId of [await queued(1), await queued(2)]) await worker().deliver(groupId);
    assert.deepEqual(test.receiver.received, [], 'the retrier sends them all');
    const ids = await eventIds();
    assert.ok(((await worker().carry()) ?? 0) > 500);
    assert.deepEqual(idsReceived(), ids.slice(0, 1));
    test.receiver.answer = acknowledge;
    test.receiver.received.splice(0);
    await rows(test.db, `UPDATE deliveries SET next_attempt_at = now() WHERE webhook_id = $1 AND status = 'pending'`, [test.webhook.id]);
    assert.equal(await worker().carry(), null);
    assert.deepEqual(idsReceived(), ids);
  });

  it('an endpoint gets the rest of its events from the next call of its retrier if it is ordered and slow', async () => {
    await test.webhook.update({ ordered: true });
    await worker().deliver(await queued(3));
    let restore = () => undefined as void;
    test.receiver.answer = (received, response, index) => {
      if (index === 0) restore = letTimePass(61_000);
      acknowledge(received, response, index);
    };
    const call = worker().carry();
    assert.equal(await call.finally(() => restore()), 0, 'the retrier calls again at once');
    assert.equal(test.receiver.received.length, 1);
    assert.equal(await worker().carry(), null);
    assert.deepEqual(idsReceived(), await eventIds());
  });

  it('an endpoint gets no more events a second than its limit', async () => {
    await test.webhook.update({ rate: 5 });
    await worker().deliver(await queued(4));
    const started = performance.now();
    assert.equal(await worker().carry(), null);
    assert.equal(test.receiver.received.length, 4);
    assert.ok(performance.now() - started >= 590, 'three pauses of 200 ms');
  });

  it('an endpoint gets no more events a second than its limit when each call of its retrier finds one', async () => {
    await test.webhook.update({ rate: 5 });
    const started = performance.now();
    for (let call = 1; call <= 4; call += 1) {
      await worker().deliver(await queued(1));
      assert.equal(await worker().carry(), null);
    }
    assert.equal(test.receiver.received.length, 4);
    assert.ok(performance.now() - started >= 590, 'three pauses of 200 ms');
  });
});

describe('the retrier of a webhook with 40 due deliveries', () => {
  const { test, queued, idsReceived } = useEndpointWorkers();

  /** Runs the retrier in a process that knows nothing of the endpoint. @returns how many deliveries it read at once */
  const pagesRead = async (): Promise<number[]> => {
    await queued(40);
    await rows(test.db, 'UPDATE deliveries SET in_child = true, carried = true WHERE webhook_id = $1', [test.webhook.id]);
    const deps = { db: test.db, config: testConfig({ WEBHOOK_RETRY_DELAYS: '20,90' }), poster: test.poster };
    const pages: number[] = [];
    class Watched extends Attempts {
      override retry(...[due, end]: Parameters<Attempts['retry']>) {
        if (due.length > 0) pages.push(due.length);
        return super.retry(due, end);
      }
    }
    await inActivity(webhookActivities(deps, new Watched(deps)).runRetrier, [test.webhook.id]);
    return pages;
  };

  it('a retrier reads 16 deliveries for each attempt to an endpoint that acknowledges nothing', async () => {
    test.receiver.answer = answerWith(500);
    const pages = await pagesRead();
    assert.deepEqual(new Set(pages), new Set([16]));
    assert.equal(pages.length, test.receiver.received.length);
  });

  it('a retrier reads all others when the endpoint has acknowledged the first 16', async () => {
    test.receiver.answer = acknowledge;
    assert.deepEqual(await pagesRead(), [16, 24]);
    assert.equal(new Set(idsReceived()).size, 40);
  });

  it('a retrier reads all others also when the endpoint is too slow to count as healthy', async () => {
    test.receiver.answer = (...exchange) => void setTimeout(() => acknowledge(...exchange), exchange[2] === 15 ? slowMs : 0);
    assert.deepEqual(await pagesRead(), [16, 24]);
  });
});
