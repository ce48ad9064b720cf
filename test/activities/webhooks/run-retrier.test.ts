import assert from 'node:assert/strict';
import { webhookActivities } from '../../../activities/webhooks/webhooks.js';
import { recordHandoffs } from '../../../models/operations/handoff/record-handoffs.js';
import { until } from '../../support/client.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { attemptsOf, buildDelivery, deliveryOf, makeDue } from '../../support/rows/deliveries.js';
import { buildWebhook } from '../../support/rows/factories.js';
import { endpointForEach } from '../../support/for-each.js';
import { inActivity } from '../../support/temporal/in-activity.js';
import { acceptedAs, buildClaimed, buildQueuedGroup } from '../../support/rows/messages.js';
import { acknowledge, answerWith, startReceiver } from '../../support/network/receiver.js';

/** Longer than any answer takes on a busy machine, and what a test of hanging waits. */
const patientMs = 20_000;
const impatientMs = 150;

describe('an endpoint', () => {
  const test = endpointForEach();

  /** What a worker runs that knows nothing of any endpoint yet. */
  const worker = (env: NodeJS.ProcessEnv = { WEBHOOK_RETRY_DELAYS: '20,90' }, patienceMs = patientMs) => {
    const activities = webhookActivities({ db: test.db, config: testConfig(env), poster: test.poster, patienceMs });
    return {
      deliver: (groupId: string) => inActivity(activities.deliverEvents, [groupId]),
      carry: () => inActivity(activities.runRetrier, [test.webhook.id]),
    };
  };
  const queued = async (count: number) => {
    const messages = Array.from({ length: count }, () => ({}));
    return (await buildQueuedGroup(test.db, test.workspaceId, messages)).groupId;
  };
  const idsReceived = () => test.receiver.received.map(({ headers }) => headers['webhook-id']);
  const eventIds = async () =>
    (
      await rows<{ event_id: string }>(test.db, 'SELECT event_id FROM deliveries WHERE webhook_id = $1 ORDER BY seq', [test.webhook.id])
    ).map(({ event_id }) => event_id);
  const secondsUntil = (at: Date | null) => ((at?.getTime() ?? 0) - Date.now()) / 1000;

  describe('that fails ten events in a row', () => {
    beforeEach(async () => {
      test.receiver.answer = answerWith(500);
      assert.deepEqual((await worker().deliver(await queued(12))).retriers, [test.webhook.id]);
      await test.webhook.reload();
      test.receiver.received.splice(0);
    });
    /** As if the pause and the ladder's waiting time had passed. */
    const elapse = () =>
      rows(
        test.db,
        `WITH w AS (UPDATE webhooks SET resume_at = now() - interval '1 second' WHERE id = $1)
         UPDATE deliveries SET next_attempt_at = now() - interval '1 second' WHERE webhook_id = $1 AND status = 'pending'`,
        [test.webhook.id],
      );

    it('gets nothing for a while, from any worker', async () => {
      assert.ok(secondsUntil(test.webhook.resume_at) > 0.5, 'the breaker is open');
      await worker().deliver(await queued(1));
      const waitMs = await worker().carry();
      assert.ok(waitMs !== null && waitMs > 0, `${waitMs} ms`);
      assert.deepEqual(test.receiver.received, []);
    });

    it('gets one probe, and the pause doubles while it fails', async () => {
      await elapse();
      assert.ok(((await worker().carry()) ?? 0) > 30_000);
      assert.equal(test.receiver.received.length, 1);
      const { pause_seconds: pause } = await test.webhook.reload();
      assert.equal(pause, 40);
    });

    it('gets everything after an acknowledged probe', async () => {
      await elapse();
      let besideProbe = 0;
      test.receiver.answer = (received, response, index) => {
        if (index > 0) return acknowledge(received, response, index);
        setTimeout(() => {
          besideProbe = test.receiver.received.length - 1;
          response.writeHead(200).end();
        }, 200);
      };
      assert.equal(await worker().carry(), null);
      assert.equal(besideProbe, 0);
      assert.equal(new Set(idsReceived()).size, 12);
      const { failures, failing_since, resume_at, pause_seconds } = await test.webhook.reload();
      assert.deepEqual([failures, failing_since, resume_at, pause_seconds], [0, null, null, null]);
    });
  });

  it('gets a requested pause for all deliveries', async () => {
    test.receiver.answer = answerWith(503, { 'Retry-After': '30' });
    await worker().deliver(await queued(1));
    await worker().deliver(await queued(1));
    assert.ok(((await worker().carry()) ?? 0) > 25_000);
    assert.equal(test.receiver.received.length, 1);
    assert.ok(secondsUntil((await test.webhook.reload()).resume_at) > 25);
  });

  it('delays a group only briefly when it hangs, and gets no second attempt', async () => {
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
    finish();
    await until(async () => (await deliveryOf(test.db, id)).status === 'succeeded', 'the attempt is recorded');
    assert.equal(await worker().carry(), null);
    assert.equal(test.receiver.received.length, 1);
  });

  it('gets no event before an earlier one of its retrier', async () => {
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

  it('is disabled after a long failure, with a mail to the owner, and deliveries are held', async () => {
    test.receiver.answer = answerWith(500);
    await test.webhook.update({ failing_since: new Date(Date.now() - 120_500) });
    const waiting = await buildDelivery(test.db, test.workspaceId);
    await worker({ WEBHOOK_DISABLE_AFTER: '60' }).deliver(await queued(1));
    const { is_active, disabled_reason } = await test.webhook.reload();
    assert.deepEqual([is_active, disabled_reason], [false, 'The endpoint has acknowledged nothing for 2 minutes']);
    assert.equal((await deliveryOf(test.db, waiting.id)).status, 'held');
    const mails = await rows<{ kind: string; detail: { reason: string } }>(
      test.db,
      'SELECT kind, detail FROM mails WHERE workspace_id = $1',
      [test.workspaceId],
    );
    assert.deepEqual(
      mails.map(({ kind, detail }) => [kind, detail.reason]),
      [['webhook_disabled', disabled_reason]],
    );
  });

  it('is retried by its own ladder', async () => {
    test.receiver.answer = answerWith(500);
    await test.webhook.update({ retry_delays: [600] });
    const { id, group_id } = await buildDelivery(test.db, test.workspaceId);
    await worker().deliver(group_id);
    const seconds = secondsUntil((await deliveryOf(test.db, id)).next_attempt_at);
    assert.ok(seconds > 590 && seconds <= 720, `${seconds} s`);
    await makeDue(test.db, id);
    assert.equal(await worker().carry(), null);
    assert.equal((await deliveryOf(test.db, id)).status, 'failed', 'one further attempt was all');
  });

  it('gets nothing when its secret cannot be decrypted, and delays no other', async () => {
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

  it('gets one event at a time when it is ordered, and none after a failed one', async () => {
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

  it('gets no more events a second than its limit', async () => {
    await test.webhook.update({ rate: 5 });
    await worker().deliver(await queued(4));
    const started = performance.now();
    assert.equal(await worker().carry(), null);
    assert.equal(test.receiver.received.length, 4);
    assert.ok(performance.now() - started >= 590, 'three pauses of 200 ms');
  });
});
