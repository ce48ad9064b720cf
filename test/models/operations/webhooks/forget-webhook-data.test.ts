import assert from 'node:assert/strict';
import { firstDeliveries } from '../../../../models/operations/deliveries/due-deliveries.js';
import { forgetWebhookData, isForgotten } from '../../../../models/operations/webhooks/forget-webhook-data.js';
import { idBefore } from '../../../../models/rules/values/id-time.js';
import { inTransaction } from '../../../../models/db/database.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { attemptWith, buildDelivery, recordAttempts } from '../../../support/rows/deliveries.js';
import { buildWebhook, buildWorkspace } from '../../../support/rows/factories.js';
import { withClock } from '../../../support/shift-clock.js';

const retention = { bodies: 10, attempts: 20, deliveries: 30 };
const dayMs = 86_400_000;

describe('forgetWebhookData', () => {
  const test = useDatabase();
  let workspaceId: string;
  let webhookId: string;
  let made = 0;
  beforeEach(async () => {
    await rows(test.db, 'TRUNCATE events, retention_sweeps, retention_waits CASCADE');
    workspaceId = (await buildWorkspace(test.db)).id;
    webhookId = (await buildWebhook(workspaceId, 'https://one.example.test/')).row.id;
  });

  /** A delivery with an attempt, made so many days ago. */
  const aged = async (days: number, status: 'succeeded' | 'pending' = 'succeeded'): Promise<string> => {
    made += 1;
    const id = `${idBefore(new Date(Date.now() - days * dayMs)).slice(0, 24)}${made.toString(16).padStart(12, '0')}`;
    await rows(
      test.db,
      `WITH e AS (INSERT INTO events (id, workspace_id, type, body) VALUES ($1, $2, 'message.sent', '{}')),
        d AS (INSERT INTO deliveries (id, webhook_id, event_id, event, status, next_attempt_at) VALUES ($1, $3, $1, 'message.sent', $4, now()))
       INSERT INTO delivery_attempts (delivery_id, number, at, trigger, duration_ms) VALUES ($1, 1, now(), 'scheduled', 1)`,
      [id, workspaceId, webhookId, status],
    );
    return id;
  };
  const forget = (page = 2, days = retention) => forgetWebhookData(test.db, days, Date.now() + 10_000, page);
  /** What is left of a delivery: itself, its attempts, its body. */
  const left = async (id: string) => {
    const [found] = await rows<{ attempts: number; body: boolean }>(
      test.db,
      `SELECT (SELECT count(*) FROM delivery_attempts WHERE delivery_id = d.id) AS attempts, e.body IS NOT NULL AS body
       FROM deliveries d JOIN events e ON e.id = d.event_id WHERE d.id = $1`,
      [id],
    );
    return found === undefined ? 'nothing' : `${found.attempts} ${found.body ? 'with' : 'without'} body`;
  };

  it('bodies, then attempts, then deliveries are deleted by age, page by page', async () => {
    const ids: string[] = [];
    for (const days of [9, 11, 21, 31, 12, 13, 32, 33]) ids.push(await aged(days));
    assert.deepEqual(await forget(), { deliveries: 3, bodies: 4, attempts: 1 });
    assert.deepEqual(await Promise.all(ids.map(left)), [
      '1 with body',
      '1 without body',
      '0 without body',
      'nothing',
      '1 without body',
      '1 without body',
      'nothing',
      'nothing',
    ]);
    assert.deepEqual(await forget(), { deliveries: 0, bodies: 0, attempts: 0 });
    assert.equal(await isForgotten(test.db, ids[1] as string), true);
    assert.equal(await isForgotten(test.db, ids[0] as string), false);
  });

  it('no younger webhook data is deleted by a worker whose clock is far ahead', async () => {
    const ids = [await aged(9), await aged(15)];
    assert.deepEqual(await withClock(40 * dayMs, forget), { deliveries: 0, bodies: 1, attempts: 0 });
    assert.deepEqual(await Promise.all(ids.map(left)), ['1 with body', '1 without body']);
  });

  it('open deliveries of any age are kept, and everything if the setting is 0', async () => {
    const [pending, done] = [await aged(99, 'pending'), await aged(99)];
    assert.deepEqual(await forget(2, { bodies: 0, attempts: 0, deliveries: 0 }), { deliveries: 0, bodies: 0, attempts: 0 });
    await forget();
    assert.deepEqual([await left(pending), await left(done)], ['1 with body', 'nothing']);
  });

  it('bodies and attempts of deliveries that were still open at that age are deleted after their end', async () => {
    const ids = [await aged(25, 'pending'), await aged(25, 'pending')];
    await forget(1);
    assert.deepEqual(await Promise.all(ids.map(left)), ['1 with body', '1 with body']);
    await rows(test.db, `UPDATE deliveries SET status = 'succeeded' WHERE id = $1`, [ids[0]]);
    await rows(test.db, 'UPDATE retention_waits SET look_at = now()');
    assert.deepEqual(await forget(1), { deliveries: 0, bodies: 1, attempts: 1 });
    assert.deepEqual(await Promise.all(ids.map(left)), ['0 without body', '1 with body']);
  });

  it('attempts of a later resend are deleted two days after the last of them', async () => {
    const ids = [await aged(25), await aged(15)];
    const resend = async (id: string) =>
      recordAttempts(test.db, [{ ...attemptWith({ id, webhook_id: webhookId }, { status: 'succeeded' }), trigger: 'manual' }]);
    await forget(2, { ...retention, bodies: 0 });
    for (const id of ids) await resend(id);
    await rows(test.db, `UPDATE retention_waits SET look_at = look_at - interval '2 days'`);
    for (const id of ids) await resend(id);
    assert.deepEqual(await forget(2, { ...retention, bodies: 0 }), { deliveries: 0, bodies: 0, attempts: 0 });
    assert.deepEqual(await Promise.all(ids.map(left)), ['2 with body', '3 with body']);
    await rows(test.db, `UPDATE retention_waits SET look_at = look_at - interval '2 days'`);
    assert.deepEqual(await forget(2, { ...retention, bodies: 0 }), { deliveries: 0, bodies: 0, attempts: 1 });
    assert.deepEqual(await Promise.all(ids.map(left)), ['0 with body', '3 with body']);
  });

  it('the deletion of webhook data stops after its time limit, and continues the next time', async () => {
    const ids = [await aged(31), await aged(11)];
    await forgetWebhookData(test.db, retention, Date.now() - 1, 2);
    assert.deepEqual(await Promise.all(ids.map(left)), ['1 with body', '1 with body']);
    await forget();
    assert.deepEqual(await Promise.all(ids.map(left)), ['nothing', '1 without body']);
  });

  it('locked rows of webhook data are skipped, and deleted later', async () => {
    const [held, free] = [await aged(31), await aged(32)];
    await inTransaction(test.db, async (transaction) => {
      await test.db.query('SELECT 1 FROM events WHERE id = $1 FOR KEY SHARE', { bind: [held], transaction });
      await forget();
      assert.deepEqual([await left(held), await left(free)], ['0 without body', 'nothing']);
    });
    await forget();
    assert.equal(await left(held), 'nothing');
  });

  it('a deleted webhook is removed with its last delivery', async () => {
    await aged(31);
    await rows(test.db, 'UPDATE webhooks SET deleted_at = now() WHERE id = $1', [webhookId]);
    await forget();
    assert.deepEqual(await rows(test.db, 'SELECT 1 FROM webhooks WHERE id = $1', [webhookId]), []);
  });

  it('a delivery that is resent while its body is deleted fails', async () => {
    const { id, group_id } = await buildDelivery(test.db, workspaceId);
    await rows(test.db, 'UPDATE events SET body = NULL WHERE id = (SELECT event_id FROM deliveries WHERE id = $1)', [id]);
    assert.deepEqual(await firstDeliveries(test.db, group_id, false), []);
    assert.deepEqual(await rows(test.db, 'SELECT status FROM deliveries WHERE id = $1', [id]), [{ status: 'failed' }]);
  });
});
