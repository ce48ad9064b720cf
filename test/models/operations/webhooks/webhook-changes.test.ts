import assert from 'node:assert/strict';
import { leaveToRetriers } from '../../../../models/operations/deliveries/retriers.js';
import { retrierDeliveries } from '../../../../models/operations/deliveries/due-deliveries.js';
import { deleteWebhook } from '../../../../models/operations/webhooks/delete-webhook.js';
import { updateWebhook, type WebhookChange } from '../../../../models/operations/webhooks/update-webhook.js';
import { Webhook } from '../../../../models/tables/webhook.js';
import { rows } from '../../../support/database.js';
import { untilLockWait } from '../../../support/lock-table.js';
import { useDatabase } from '../../../support/for-each.js';
import { attemptWith, buildDelivery, deliveryOf, recordAttempts, settle, unknownId } from '../../../support/rows/deliveries.js';
import { buildQueued, buildWebhook, buildWorkspace } from '../../../support/rows/factories.js';
import { eventsOf } from '../../../support/rows/messages.js';
import { byTest } from '../../../support/by-test.js';

const unknown = { code: 'not_found', message: 'Webhook not found' };

describe('updateWebhook and deleteWebhook', () => {
  const test = useDatabase({ checksBooks: true });
  let workspaceId: string;
  let webhookId: string;
  beforeEach(async () => {
    workspaceId = (await buildWorkspace(test.db)).id;
    webhookId = (await buildWebhook(workspaceId, 'https://one.example.test/')).row.id;
  });

  const build = () => buildDelivery(test.db, workspaceId);
  const stored = async (id = webhookId) => (await rows(test.db, 'SELECT * FROM webhooks WHERE id = $1', [id]))[0];

  it('an update changes only the given fields', async () => {
    const before = await stored();
    await updateWebhook(test.db, workspaceId, webhookId, { description: 'mine', events: ['message.failed'] }, byTest);
    const { updated_at, ...after } = (await stored()) ?? {};
    assert.deepEqual({ ...after, updated_at: before?.updated_at }, { ...before, description: 'mine', events: ['message.failed'] });
    assert.ok((updated_at as Date) >= (before?.updated_at as Date));
    assert.equal((await updateWebhook(test.db, workspaceId, webhookId, { description: null }, byTest)).description, null);
  });

  it('a pause holds pending deliveries, and activation sends nothing by itself', async () => {
    const { id } = await buildDelivery(test.db, workspaceId);
    await updateWebhook(test.db, workspaceId, webhookId, { is_active: false }, byTest);
    await rows(test.db, `UPDATE webhooks SET disabled_reason = 'gone' WHERE id = $1`, [webhookId]);
    const { status, next_attempt_at } = await deliveryOf(test.db, id);
    assert.deepEqual({ status, next_attempt_at }, { status: 'held', next_attempt_at: null });
    const { is_active, disabled_reason } = await updateWebhook(test.db, workspaceId, webhookId, { is_active: true }, byTest);
    assert.deepEqual([is_active, disabled_reason], [true, null]);
    assert.equal((await deliveryOf(test.db, id)).status, 'held');
  });

  for (const [what, change] of [
    ['gets another URL', { url: 'https://two.example.test/' }],
    ['is activated again', { is_active: true }],
  ] as const) {
    it(`a waiting retry is due now when the webhook ${what}`, async () => {
      const [waiting, fresh, inFlight] = [await build(), await build(), await build()];
      await recordAttempts(test.db, [attemptWith(waiting, { status: 'pending', inSeconds: 3_600 })]);
      await leaveToRetriers(test.db, { idle: [], inFlight: [inFlight] }, false);
      const before = await Promise.all([fresh, inFlight].map(({ id }) => deliveryOf(test.db, id)));
      await updateWebhook(test.db, workspaceId, webhookId, change, byTest);
      await settle(test.db, webhookId);
      const { status, ladder_step } = await deliveryOf(test.db, waiting.id);
      assert.deepEqual([status, ladder_step], ['pending', 0]);
      assert.deepEqual(
        (await retrierDeliveries(test.db, webhookId, false, 10)).map(({ id }) => id),
        [waiting.id],
      );
      assert.deepEqual(await Promise.all([fresh, inFlight].map(({ id }) => deliveryOf(test.db, id))), before, 'attempted by others now');
    });
  }

  it('a waiting retry stays when the URL stays the same or the events change', async () => {
    const { id } = await build();
    await recordAttempts(test.db, [attemptWith({ id, webhook_id: webhookId }, { status: 'pending', inSeconds: 60 })]);
    const before = await deliveryOf(test.db, id);
    await updateWebhook(test.db, workspaceId, webhookId, { url: 'https://one.example.test/', events: ['message.sent'] }, byTest);
    assert.deepEqual(await deliveryOf(test.db, id), before);
  });

  /** Changes the webhook while another transaction has written this to its row. It commits once the change waits for it. */
  async function duringCommitOf(written: string, change: WebhookChange): Promise<Webhook> {
    const other = await test.db.transaction();
    await test.db.query(`UPDATE webhooks SET ${written} WHERE id = $1`, { bind: [webhookId], transaction: other });
    const changing = updateWebhook(test.db, workspaceId, webhookId, change, byTest);
    await untilLockWait(test.db, 'it waits for the lock');
    await other.commit();
    return changing;
  }

  it('a new URL ends a pause that the former one asks for at the same moment', async () => {
    const paused = `failing_since = now(), resume_at = now() + interval '1 day'`;
    const { failing_since, resume_at } = await duringCommitOf(paused, { url: 'https://two.example.test/' });
    assert.deepEqual([failing_since, resume_at], [null, null]);
  });

  it('an update activates a webhook that is disabled at the same moment', async () => {
    const disabled = `is_active = false, disabled_reason = 'gone', revision = revision + 1, held_revision = revision + 1`;
    const { is_active, disabled_reason } = await duringCommitOf(disabled, { is_active: true });
    assert.deepEqual([is_active, disabled_reason], [true, null]);
  });

  it('a deletion ends open deliveries, and no more are written', async () => {
    const { id } = await buildDelivery(test.db, workspaceId);
    await deleteWebhook(test.db, workspaceId, webhookId, byTest);
    assert.equal((await deliveryOf(test.db, id)).status, 'failed');
    assert.deepEqual(await eventsOf(test.db, (await buildQueued(test.db, workspaceId)).id), []);
    await assert.rejects(Webhook.owned(workspaceId, webhookId), unknown);
    assert.deepEqual((await Webhook.ownedPage(workspaceId, { page: 1, limit: 10 })).total, 0);
  });

  it('a foreign, deleted, unknown or malformed webhook is not found', async () => {
    const stranger = await buildWorkspace(test.db);
    const { row: deleted } = await buildWebhook(workspaceId, 'https://two.example.test/');
    await deleteWebhook(test.db, workspaceId, deleted.id, byTest);
    const before = await stored();
    for (const [owner, id] of [
      [stranger.id, webhookId],
      [workspaceId, deleted.id],
      [workspaceId, unknownId()],
      [workspaceId, 'x'],
    ] as const) {
      await assert.rejects(updateWebhook(test.db, owner, id, { is_active: false }, byTest), unknown);
      await assert.rejects(deleteWebhook(test.db, owner, id, byTest), unknown);
    }
    assert.deepEqual(await stored(), before);
  });
});
