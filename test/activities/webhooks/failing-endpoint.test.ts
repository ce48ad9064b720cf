import assert from 'node:assert/strict';
import { createTestDelivery } from '../../../models/operations/deliveries/create-test-delivery.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { buildDelivery, deliveryOf } from '../../support/rows/deliveries.js';
import { acknowledge, answerWith } from '../../support/network/receiver.js';
import { inActivity } from '../../support/temporal/in-activity.js';
import { webhookOperationActivities } from '../../support/parts/activities.js';
import { secondsUntil, useEndpointWorkers } from './use-endpoint-workers.js';

describe('an endpoint', () => {
  const { test, worker, queued, idsReceived } = useEndpointWorkers();
  const askedFor = (deliveryId: string, trigger: 'manual' | 'test') => {
    const { attemptNow } = webhookOperationActivities({ db: test.db, config: testConfig(), poster: test.poster });
    return inActivity(attemptNow, [{ deliveryId, trigger }]);
  };

  /** @returns how many requests had come beside the first one when it was answered */
  const answerFirstSlowly = () => {
    let beside = Number.NaN;
    test.receiver.answer = (received, response, index) => {
      if (index > 0) return acknowledge(received, response, index);
      setTimeout(() => {
        beside = test.receiver.received.length - 1;
        response.writeHead(200).end();
      }, 200);
    };
    return () => beside;
  };

  describe('that fails ten events in a row', () => {
    beforeEach(async () => {
      test.receiver.answer = answerWith(500);
      assert.deepEqual((await worker().deliver(await queued(12))).retriers, [test.webhook.id]);
      await test.webhook.reload();
      test.receiver.received.splice(0);
    });
    /** As if the pause and the schedule's waiting time had passed. */
    const elapse = () =>
      rows(
        test.db,
        `WITH w AS (UPDATE webhooks SET resume_at = now() - interval '1 second' WHERE id = $1)
         UPDATE deliveries SET next_attempt_at = now() - interval '1 second' WHERE webhook_id = $1 AND status = 'pending'`,
        [test.webhook.id],
      );

    it('an endpoint that failed ten events in a row gets nothing for a while, from any worker', async () => {
      assert.ok(secondsUntil(test.webhook.resume_at) > 0.5, 'the breaker is open');
      await worker().deliver(await queued(1));
      const waitMs = await worker().carry();
      assert.ok(waitMs !== null && waitMs > 0, `${waitMs} ms`);
      assert.deepEqual(test.receiver.received, []);
    });

    it('a failing endpoint gets one probe, and the pause doubles if that fails too', async () => {
      await elapse();
      assert.ok(((await worker().carry()) ?? 0) > 30_000);
      assert.equal(test.receiver.received.length, 1);
      const { pause_seconds: pause } = await test.webhook.reload();
      assert.equal(pause, 40);
    });

    it('a failing endpoint gets everything after an acknowledged probe', async () => {
      await elapse();
      const besideFirst = answerFirstSlowly();
      assert.equal(await worker().carry(), null);
      assert.equal(besideFirst(), 0);
      assert.equal(new Set(idsReceived()).size, 12);
      const { failures, failing_since, resume_at, pause_seconds } = await test.webhook.reload();
      assert.deepEqual([failures, failing_since, resume_at, pause_seconds], [0, null, null, null]);
    });
  });

  it('an endpoint gets one retry first from a worker that does not know it as healthy, and then the others', async () => {
    test.receiver.answer = answerWith(500);
    await worker().deliver(await queued(8));
    assert.equal((await test.webhook.reload()).resume_at, null, 'the breaker is closed');
    await rows(test.db, 'UPDATE deliveries SET next_attempt_at = now() WHERE webhook_id = $1', [test.webhook.id]);
    test.receiver.received.splice(0);
    const besideFirst = answerFirstSlowly();
    assert.equal(await worker().carry(), null);
    assert.equal(besideFirst(), 0);
    assert.equal(new Set(idsReceived()).size, 8);
  });

  it('an endpoint that asks for a pause gets no delivery before its end', async () => {
    test.receiver.answer = answerWith(503, { 'Retry-After': '30' });
    await worker().deliver(await queued(1));
    await worker().deliver(await queued(1));
    assert.ok(((await worker().carry()) ?? 0) > 25_000);
    assert.equal(test.receiver.received.length, 1);
    assert.ok(secondsUntil((await test.webhook.reload()).resume_at) > 25);
  });

  for (const status of [410, 503]) {
    it(`status ${status} and the requested pause count although the answer breaks off`, async () => {
      test.receiver.answer = (_received, response) =>
        void response.writeHead(status, { 'Content-Length': '100', 'Retry-After': '30' }).write('half', () => response.socket?.destroy());
      await worker().deliver(await queued(1));
      const { is_active, resume_at } = await test.webhook.reload();
      assert.deepEqual([is_active, secondsUntil(resume_at) > 25], [status !== 410, true]);
    });
  }

  for (const trigger of ['manual', 'test'] as const) {
    it(`a pause that an endpoint requests at a ${trigger} attempt holds all deliveries, and is no failure`, async () => {
      test.receiver.answer = answerWith(503, { 'Retry-After': '30' });
      const isTest = trigger === 'test';
      const deliveryId = isTest
        ? await createTestDelivery(test.db, test.workspaceId, test.webhook.id)
        : (await buildDelivery(test.db, test.workspaceId)).id;
      await askedFor(deliveryId, trigger);
      const asked = await test.webhook.reload();
      assert.ok(secondsUntil(asked.resume_at) > 25);
      assert.deepEqual([asked.failing_since, asked.failures], [null, 0]);
      await worker().deliver(await queued(1));
      assert.ok(((await worker().carry()) ?? 0) > 20_000);
      assert.equal(test.receiver.received.length, 1);
      test.receiver.answer = acknowledge;
      await test.webhook.update({ resume_at: new Date(Date.now() - 1_000) });
      assert.equal(await worker().carry(), null);
      assert.deepEqual([(await test.webhook.reload()).resume_at, test.receiver.received.length > 1], [null, true]);
    });
  }

  for (const [what, hoursAgo, isActive] of [
    ['is not disabled for two failures with days without an attempt between them', 60, true],
    ['is disabled when the failures of five days follow each other', 30, false],
  ] as const) {
    it(`a webhook ${what}`, async () => {
      test.receiver.answer = answerWith(500);
      const hours = (count: number) => new Date(Date.now() - count * 3_600_000);
      await test.webhook.update({ failing_since: hours(130), failed_at: hours(hoursAgo) });
      await worker({ WEBHOOK_DISABLE_AFTER: '432000' }).deliver(await queued(1));
      const { is_active, failing_since } = await test.webhook.reload();
      assert.deepEqual([is_active, (failing_since ?? 0) > hours(1)], [isActive, isActive]);
    });
  }

  it('a failure soon after an acknowledged attempt begins a new time of failing', async () => {
    const failAgain = async () => {
      test.receiver.answer = answerWith(500);
      await worker().deliver(await queued(1));
      return (await test.webhook.reload()).failing_since;
    };
    const first = await failAgain();
    test.receiver.answer = acknowledge;
    await askedFor((await buildDelivery(test.db, test.workspaceId)).id, 'manual');
    assert.equal((await test.webhook.reload()).failing_since, null);
    const second = await failAgain();
    assert.ok(first !== null && second !== null && second > first, `${first}, ${second}`);
  });

  for (const [what, paused] of [
    ['', null],
    [' beside a pause', new Date(Date.now() + 3_600_000)],
  ] as const) {
    it(`a webhook that acknowledges a resend${what} is not disabled for its earlier failures`, async () => {
      await test.webhook.update({ failing_since: new Date(Date.now() - 120_500), resume_at: paused });
      const { id } = await buildDelivery(test.db, test.workspaceId);
      await askedFor(id, 'manual');
      const { failing_since, resume_at } = await test.webhook.reload();
      assert.deepEqual([failing_since !== null, resume_at], [paused !== null, paused]);
      await test.webhook.update({ resume_at: null });
      test.receiver.answer = answerWith(500);
      await worker({ WEBHOOK_DISABLE_AFTER: '60' }).deliver(await queued(1));
      assert.equal((await test.webhook.reload()).is_active, true);
    });
  }

  it('a webhook is disabled after a long failure, with a mail to the owner, and its deliveries are held', async () => {
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
});
