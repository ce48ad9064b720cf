import assert from 'node:assert/strict';
import { deleteWebhook } from '../../../../models/operations/webhooks/delete-webhook.js';
import { leaveToRetriers } from '../../../../models/operations/deliveries/retriers.js';
import { disableWebhook } from '../../../../models/operations/webhooks/disable-webhook.js';
import { attemptsKept } from '../../../../models/operations/deliveries/record-attempt.js';
import { updateWebhook } from '../../../../models/operations/webhooks/update-webhook.js';
import { systemOrigin } from '../../../../models/rules/audit/origin.js';
import { Webhook } from '../../../../models/tables/webhook.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import {
  attemptsOf,
  attemptWith,
  buildDeliveries,
  buildDelivery,
  type DeliveryRow,
  deliveryOf,
  unknownId,
} from '../../../support/rows/deliveries.js';
import { buildWebhook, buildWorkspace } from '../../../support/rows/factories.js';
import { byTest } from '../../../support/by-test.js';
import { recordAttempts } from '../../../support/rows/deliveries.js';

const url = 'https://one.example.test/';

describe('recordAttempts', () => {
  const test = useDatabase({ poolMax: 20, checksBooks: true });
  let workspaceId: string;
  let webhookId: string;
  beforeEach(async () => {
    workspaceId = (await buildWorkspace(test.db)).id;
    webhookId = (await buildWebhook(workspaceId, url)).row.id;
  });

  const record = async (...attempt: Parameters<typeof attemptWith>) => (await recordAttempts(test.db, [attemptWith(...attempt)]))[0];

  it('an acknowledged delivery has succeeded, and its answer is stored', async () => {
    const delivery = await buildDelivery(test.db, workspaceId);
    await record(delivery, { status: 'succeeded' });
    const { status, ladder_step, next_attempt_at, delivered_at } = await deliveryOf(test.db, delivery.id);
    assert.deepEqual({ status, ladder_step, next_attempt_at }, { status: 'succeeded', ladder_step: 1, next_attempt_at: null });
    assert.ok(delivered_at);
    assert.deepEqual(await attemptsOf(test.db, delivery.id), [
      { number: 1, trigger: 'scheduled', response_status: 200, error: null, response_body: 'body' },
    ]);
  });

  it('a failed attempt schedules the next retry, and attempts are numbered from 1', async () => {
    const delivery = await buildDelivery(test.db, workspaceId);
    for (const step of [1, 2, 3]) {
      await record(delivery, { status: 'pending', inSeconds: 60 });
      const { status, ladder_step, next_attempt_at } = await deliveryOf(test.db, delivery.id);
      assert.deepEqual({ status, ladder_step }, { status: 'pending', ladder_step: step });
      const seconds = ((next_attempt_at?.getTime() ?? 0) - Date.now()) / 1000;
      assert.ok(seconds > 50 && seconds <= 60, `${seconds} s`);
    }
    assert.deepEqual(
      (await attemptsOf(test.db, delivery.id)).map(({ number, error }) => [number, error]),
      [
        [1, 'http_status'],
        [2, 'http_status'],
        [3, 'http_status'],
      ],
    );
  });

  it('a delivery that fails changes nothing at its webhook', async () => {
    const delivery = await buildDelivery(test.db, workspaceId);
    await record(delivery, { status: 'failed' });
    const { status, next_attempt_at, delivered_at } = await deliveryOf(test.db, delivery.id);
    assert.deepEqual({ status, next_attempt_at, delivered_at }, { status: 'failed', next_attempt_at: null, delivered_at: null });
    assert.equal((await Webhook.owned(workspaceId, webhookId)).is_active, true);
  });

  it('at most 20 mails an hour are sent about disabled webhooks of a workspace', async () => {
    for (let time = 1; time <= 25; time += 1) {
      await updateWebhook(test.db, workspaceId, webhookId, { is_active: true }, systemOrigin('operator'));
      await disableWebhook(test.db, webhookId, 'The endpoint returned 410 Gone', { url });
      assert.equal((await Webhook.owned(workspaceId, webhookId)).is_active, false);
    }
    const [mails] = await rows(test.db, 'SELECT count(*)::integer AS count FROM mails WHERE workspace_id = $1', [workspaceId]);
    assert.deepEqual(mails, { count: 20 });
  });

  it('the mail about a disabled webhook has only the origin of its URL', async () => {
    const { row } = await buildWebhook(workspaceId, 'https://two.example.test/pay-your-invoice?token=1');
    await disableWebhook(test.db, row.id, 'Gone', row);
    const detail = { url: 'https://two.example.test', reason: 'Gone' };
    assert.deepEqual(await rows(test.db, 'SELECT detail FROM mails WHERE workspace_id = $1', [workspaceId]), [{ detail }]);
  });

  it('a webhook that answers 410 is disabled, and its deliveries are held', async () => {
    const { row: other } = await buildWebhook(workspaceId, 'https://two.example.test/');
    const ofWebhook = async () =>
      (await buildDeliveries(test.db, workspaceId)).toSorted((a) => (a.webhook_id === webhookId ? -1 : 1)) as [DeliveryRow, DeliveryRow];
    const [[gone], [waiting, elsewhere]] = [await ofWebhook(), await ofWebhook()];
    await record(gone, { status: 'failed', disableWebhook: 'The endpoint returned 410 Gone' });
    const { is_active, disabled_reason } = await Webhook.owned(workspaceId, webhookId);
    assert.deepEqual([is_active, disabled_reason], [false, 'The endpoint returned 410 Gone']);
    const detail = { url: 'https://one.example.test', reason: 'The endpoint returned 410 Gone' };
    const mails = 'SELECT kind, detail, sent_at FROM mails WHERE workspace_id = $1';
    assert.deepEqual(await rows(test.db, mails, [workspaceId]), [{ kind: 'webhook_disabled', detail, sent_at: null }]);
    const [first, second] = [await deliveryOf(test.db, gone.id), await deliveryOf(test.db, waiting.id)];
    assert.deepEqual([first.status, second.status, second.next_attempt_at], ['failed', 'held', null]);
    assert.equal((await Webhook.owned(workspaceId, other.id)).is_active, true);
    assert.equal((await deliveryOf(test.db, elsewhere.id)).status, 'pending');
    assert.deepEqual(
      (await ofWebhook()).map(({ status }) => status),
      ['held', 'pending'],
      'later events are held from the start',
    );
  });

  it('an attempt at a former URL delays no attempt at the present one', async () => {
    const [refused, gone] = [await buildDelivery(test.db, workspaceId), await buildDelivery(test.db, workspaceId)];
    const former = 'https://former.example.test/';
    const health = { webhookId, succeeded: false, isScheduled: true, isFirst: true, isProbe: false, retryAfterSeconds: 60, delays: [60] };
    assert.deepEqual(
      await recordAttempts(
        test.db,
        [
          { ...attemptWith(refused, { status: 'pending', inSeconds: 60 }, former), health },
          attemptWith(gone, { status: 'failed', disableWebhook: 'The endpoint returned 410 Gone' }, former),
        ],
        1,
      ),
      ['recorded', 'renewed'],
    );
    for (const { id } of [refused, gone]) {
      const { status, next_attempt_at, ladder_step } = await deliveryOf(test.db, id);
      assert.deepEqual([status, ladder_step], ['pending', 0]);
      assert.ok((next_attempt_at?.getTime() ?? 0) <= Date.now() + 1_000);
    }
    const { is_active, failing_since, resume_at } = await Webhook.owned(workspaceId, webhookId);
    assert.deepEqual([is_active, failing_since, resume_at], [true, null, null]);
  });

  it('an ended delivery keeps its status after a further attempt, which is logged', async () => {
    const delivery = await buildDelivery(test.db, workspaceId);
    await record(delivery, { status: 'succeeded' });
    const { delivered_at } = await deliveryOf(test.db, delivery.id);
    await record(delivery, { status: 'pending', inSeconds: 60 });
    const after = await deliveryOf(test.db, delivery.id);
    assert.deepEqual([after.status, after.ladder_step, after.next_attempt_at, after.delivered_at], ['succeeded', 1, null, delivered_at]);
    assert.equal((await attemptsOf(test.db, delivery.id)).length, 2);
  });

  it('a delivery whose webhook is deleted during the attempt stays failed', async () => {
    const delivery = await buildDelivery(test.db, workspaceId);
    await deleteWebhook(test.db, workspaceId, webhookId, byTest);
    await record(delivery, { status: 'pending', inSeconds: 60 });
    assert.equal((await deliveryOf(test.db, delivery.id)).status, 'failed');
  });

  it('an attempt of a deleted delivery is ignored', async () => {
    const id = unknownId();
    await record({ id, webhook_id: webhookId }, { status: 'succeeded' });
    assert.deepEqual(await attemptsOf(test.db, id), []);
  });

  it('attempts of a delivery at the same time are logged with different numbers', async () => {
    for (let round = 0; round < 8; round += 1) {
      const delivery = await buildDelivery(test.db, workspaceId);
      await Promise.all(Array.from({ length: 6 }, () => record(delivery, { status: 'pending', inSeconds: 60 })));
      assert.deepEqual(
        (await attemptsOf(test.db, delivery.id)).map(({ number }) => number),
        [1, 2, 3, 4, 5, 6],
      );
    }
  });

  it('a delivery that is sent again and again keeps its newest attempts', async () => {
    const [again, once] = [await buildDelivery(test.db, workspaceId), await buildDelivery(test.db, workspaceId)];
    await record(once, { status: 'succeeded' });
    for (let time = 1; time <= attemptsKept + 2; time += 1) await record(again, { status: 'succeeded' });
    const numbers = (await attemptsOf(test.db, again.id)).map(({ number }) => number);
    assert.deepEqual([numbers.length, numbers[0], numbers.at(-1)], [attemptsKept, 3, attemptsKept + 2]);
    assert.equal((await attemptsOf(test.db, once.id)).length, 1);
  });

  it('an attempt does not deadlock with other changes to several deliveries', async () => {
    const built = await Promise.all(Array.from({ length: 60 }, () => buildDelivery(test.db, workspaceId)));
    const backwards = built.toReversed();
    const recorded = (deliveries: DeliveryRow[]) =>
      recordAttempts(
        test.db,
        deliveries.map((delivery) => attemptWith(delivery, { status: 'pending', inSeconds: 60 })),
      );
    for (let round = 0; round < 5; round += 1) {
      await Promise.all([recorded(built), leaveToRetriers(test.db, { idle: backwards }, false), recorded(backwards)]);
    }
    await Promise.all([recorded(backwards), disableWebhook(test.db, webhookId, 'Gone', { url })]);
    assert.equal((await attemptsOf(test.db, built[0]?.id ?? '')).length, 11);
    assert.deepEqual(
      new Set((await Promise.all(built.map(({ id }) => deliveryOf(test.db, id)))).map(({ status }) => status)),
      new Set(['held']),
    );
  });
});
