import assert from 'node:assert/strict';
import { cancelReplay, isReplayRunning, recordReplayPage, overdueReplays } from '../../../../models/operations/replays/replay-progress.js';
import type { Replay } from '../../../../models/tables/replay.js';
import { Webhook } from '../../../../models/tables/webhook.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { untilLockWait } from '../../../support/lock-table.js';
import { attemptWith, buildDelivery, type DeliveryRow, recordAttempts } from '../../../support/rows/deliveries.js';
import { buildReplay, buildWebhook, buildWorkspace } from '../../../support/rows/factories.js';

describe('the progress of a replay', () => {
  const test = useDatabase();
  let webhookId: string;
  let deliveries: DeliveryRow[];
  let replay: Replay;
  let workspaceId: string;
  beforeEach(async () => {
    const { id } = await buildWorkspace(test.db);
    workspaceId = id;
    webhookId = (await buildWebhook(id, 'https://one.example.test/')).row.id;
    deliveries = [await buildDelivery(test.db, id), await buildDelivery(test.db, id), await buildDelivery(test.db, id)];
    replay = await buildReplay(webhookId);
  });

  const attempt = (
    index: number,
    status: 'succeeded' | 'failed',
    trigger: 'replay' | 'manual' = 'replay',
    by: { replayId?: string } = {},
  ) => recordAttempts(test.db, [{ ...attemptWith(deliveries[index] as DeliveryRow, { status }), at: afterItsStart(), trigger, ...by }]);
  /** PostgreSQL stores the start with microseconds, so the same millisecond may be before it. */
  const afterItsStart = () => new Date(replay.created_at.getTime() + 1);
  const record = (from: number, to: number, isLast = false) =>
    recordReplayPage(
      test.db,
      replay.id,
      deliveries.slice(from, to).map(({ id }) => id),
      isLast,
    );
  const counts = async () => {
    const { status, attempted, acknowledged, ended_at } = await replay.reload();
    return [status, attempted, acknowledged, ended_at !== null];
  };

  it('the progress of a replay counts attempted and acknowledged deliveries of each page once', async () => {
    await attempt(0, 'succeeded');
    await attempt(1, 'failed');
    for (let time = 1; time <= 2; time += 1) assert.equal(await record(0, 2), 'running');
    assert.deepEqual(await counts(), ['running', 2, 1, false]);
    await attempt(2, 'succeeded');
    assert.equal(await record(2, 3, true), 'completed');
    assert.deepEqual(await counts(), ['completed', 3, 2, true]);
  });

  it('the progress of a replay counts its own attempts and no others', async () => {
    await attempt(0, 'succeeded', 'manual');
    await attempt(1, 'succeeded', 'replay', { replayId: (await buildReplay(webhookId)).id });
    await attempt(2, 'failed', 'replay', { replayId: replay.id });
    await record(0, 3);
    assert.deepEqual(await counts(), ['running', 1, 0, false]);
  });

  it('the progress of a replay counts attempts that the former version made, which name no replay', async () => {
    await attempt(0, 'succeeded');
    await attempt(1, 'failed');
    await rows(test.db, `UPDATE delivery_attempts SET at = at - interval '1 minute' WHERE delivery_id = $1`, [deliveries[1]?.id]);
    await record(0, 3);
    assert.deepEqual(await counts(), ['running', 1, 1, false]);
  });

  it('the progress of a replay completes with an empty last page', async () => {
    assert.equal(await record(0, 0, true), 'completed');
  });

  it('the progress of a replay stops when the webhook becomes inactive', async () => {
    await Webhook.update({ is_active: false }, { where: { id: webhookId } });
    assert.equal(await record(0, 1), 'stopped');
    assert.deepEqual([await isReplayRunning(test.db, replay.id), await counts()], [false, ['stopped', 0, 0, true]]);
  });

  it('the progress of a replay counts the page during which it was cancelled', async () => {
    const { ended_at } = await cancelReplay(test.db, webhookId, replay.id);
    await attempt(0, 'succeeded');
    assert.equal(await record(0, 1, true), 'cancelled');
    assert.deepEqual([await counts(), replay.ended_at], [['cancelled', 1, 1, true], ended_at]);
  });

  for (const isLast of [false, true]) {
    it(`a replay stays cancelled if its cancel commits while ${isLast ? 'the last' : 'a'} page waits for it`, async () => {
      const cancelling = await test.db.transaction();
      const cancel = `UPDATE replays SET status = 'cancelled', ended_at = '2026-01-02' WHERE id = $1`;
      await test.db.query(cancel, { bind: [replay.id], transaction: cancelling });
      const recorded = record(0, 1, isLast);
      await untilLockWait(test.db, 'the page waits for the replay');
      await cancelling.commit();
      assert.equal(await recorded, 'cancelled');
      assert.deepEqual([await counts(), replay.ended_at], [['cancelled', 0, 0, true], new Date('2026-01-02')]);
    });
  }

  it('a page is counted once if two runs wait to record it', async () => {
    await attempt(0, 'succeeded');
    const held = await test.db.transaction();
    await test.db.query('SELECT 1 FROM replays WHERE id = $1 FOR UPDATE', { bind: [replay.id], transaction: held });
    const runs = [record(0, 1), record(0, 1)];
    await untilLockWait(test.db, 'both wait for the replay', 2);
    await held.rollback();
    assert.deepEqual(await Promise.all(runs), ['running', 'running']);
    assert.deepEqual(await counts(), ['running', 1, 1, false]);
  });

  it('a replay without a workflow is found, and continues where it stopped', async () => {
    const mine = async () => (await overdueReplays(test.db, 180)).filter(({ replayId }) => replayId === replay.id);
    const age = () => rows(test.db, `UPDATE replays SET progress_at = now() - interval '200 seconds' WHERE id = $1`, [replay.id]);
    assert.deepEqual(await mine(), []);
    await age();
    const { since, until, statuses } = replay;
    const found = {
      workspaceId,
      replayId: replay.id,
      webhookId,
      since: since.toISOString(),
      until: until.toISOString(),
      statuses,
    };
    assert.deepEqual(await mine(), [found]);
    await record(0, 2);
    assert.deepEqual(await mine(), [], 'it has moved');
    await age();
    assert.deepEqual(await mine(), [{ ...found, after: deliveries[1]?.id }]);
    await cancelReplay(test.db, webhookId, replay.id);
    assert.deepEqual(await mine(), []);
  });
});
