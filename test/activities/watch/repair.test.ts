import assert from 'node:assert/strict';
import { workMetrics } from '../../../models/metrics/catalogue.js';
import { Batch } from '../../../models/tables/batch.js';
import { pauseBatch, resumeBatch } from '../../../models/operations/batches/change-batch.js';
import { repairPageSize } from '../../../models/operations/watch/overdue-work.js';
import { buildAcceptedBatch, buildBatch } from '../../support/rows/batches.js';
import { rows } from '../../support/database.js';
import { buildDelivery } from '../../support/rows/deliveries.js';
import { buildQueued, buildReplay, buildUndecided, buildWebhook } from '../../support/rows/factories.js';
import { buildSent, reportOf } from '../../support/rows/messages.js';
import { recordReports } from '../../support/rows/reports.js';
import { makeOpenRowsDue } from '../../support/temporal/watcher.js';
import { longAgo, useRepairs } from './use-repairs.js';

describe('repairs of the watcher', () => {
  const repairs = useRepairs();

  const statusOfBatch = async (id: string) => (await Batch.findByPk(id))?.status;

  it('repairs change and log nothing while all rows are new', async () => {
    await buildWebhook(repairs.workspaceId, 'https://one.example.test/');
    await buildUndecided(repairs.db, repairs.workspaceId);
    await buildQueued(repairs.db, repairs.workspaceId);
    await buildAcceptedBatch(repairs.db, repairs.workspaceId, [2]);
    await recordReports(repairs.db, [reportOf(await buildSent(repairs.db, repairs.workspaceId), 'delivered')]);
    assert.deepEqual(await repairs.run(), []);
    assert.deepEqual(repairs.lines, []);
  });

  it('repairs start a workflow for every row without one, and log it', async () => {
    const { row: webhook } = await buildWebhook(repairs.workspaceId, 'https://one.example.test/', { events: ['message.queued'] });
    await buildDelivery(repairs.db, repairs.workspaceId);
    const replay = await buildReplay(webhook.id);
    const undecided = await buildUndecided(repairs.db, repairs.workspaceId);
    const queued = await buildQueued(repairs.db, repairs.workspaceId);
    const reported = await buildSent(repairs.db, repairs.workspaceId);
    await recordReports(repairs.db, [reportOf(reported, 'delivered')]);
    await rows(repairs.db, `UPDATE deliveries SET next_attempt_at = ${longAgo}`);
    await rows(repairs.db, `UPDATE replays SET progress_at = ${longAgo}`);
    await rows(repairs.db, `UPDATE delivery_reports SET received_at = ${longAgo}`);
    await makeOpenRowsDue(repairs.db);
    const delivery = `start msg:${(await rows<{ group_id: string }>(repairs.db, 'SELECT group_id FROM deliveries ORDER BY id LIMIT 1'))[0]?.group_id}`;
    assert.deepEqual(
      new Set(await repairs.run()),
      new Set([delivery, `start msg:${queued.id}`, `wake msg:${reported.id}`, `retrier ${webhook.id}`, `replay ${replay.id}`]),
    );
    assert.deepEqual(await rows(repairs.db, 'SELECT id FROM messages WHERE id = $1', [undecided.id]), [], 'it is fenced');
    assert.ok(repairs.lines.every(({ level }) => level === 40) && repairs.lines.length > 0);
    assert.deepEqual(await repairs.run(), [`wake msg:${reported.id}`, `replay ${replay.id}`], 'what was started has its time');
  });

  it('repairs of groups and batches are counted by their result', async () => {
    workMetrics.repairs.reset();
    await buildQueued(repairs.db, repairs.workspaceId);
    await buildUndecided(repairs.db, repairs.workspaceId);
    const running = await buildQueued(repairs.db, repairs.workspaceId);
    repairs.running.add(`msg:${running.id}`);
    await buildBatch(repairs.db, repairs.workspaceId, [2]);
    const { id, pages } = await buildAcceptedBatch(repairs.db, repairs.workspaceId, [1, 1]);
    repairs.running.add(`page:${pages[0]?.groupId}`);
    await pauseBatch(repairs.db, repairs.workspaceId, id);
    await resumeBatch(repairs.db, repairs.workspaceId, id);
    await rows(repairs.db, `UPDATE message_groups SET look_at = ${longAgo} WHERE batch_id IS NULL`);
    await rows(repairs.db, `UPDATE batches SET look_at = ${longAgo}`);
    await repairs.run();
    const counted = (await workMetrics.repairs.get()).values.filter(({ value }) => value > 0);
    assert.deepEqual(Object.fromEntries(counted.map(({ labels, value }) => [labels.what, value])), {
      'groups started': 1,
      'groups fenced': 1,
      'batches fenced': 1,
      'pages started': 1,
    });
  });

  it('repairs start a mail that waits for the watcher, and log no warning, because that is usual', async () => {
    const mailId = '01a21bfc-0000-7000-8000-000000000001';
    await rows(
      repairs.db,
      `INSERT INTO mails (id, workspace_id, kind, detail, look_at) VALUES ($1, $2, 'webhook_disabled', '{}', ${longAgo})`,
      [mailId, repairs.workspaceId],
    );
    assert.deepEqual(await repairs.run(), [`mail ${mailId}`]);
    assert.deepEqual(
      repairs.lines.map(({ level, msg }) => [level, msg]),
      [[30, 'started work that waited for the watcher']],
    );
  });

  it('repairs notify the pages of a resumed batch once, and start missing ones', async () => {
    const { id, pages } = await buildAcceptedBatch(repairs.db, repairs.workspaceId, [1, 1]);
    const [here, gone] = pages.map(({ groupId }) => `page:${groupId}`) as [string, string];
    repairs.running.add(here);
    await pauseBatch(repairs.db, repairs.workspaceId, id);
    await makeOpenRowsDue(repairs.db);
    assert.deepEqual(await repairs.run(), []);
    await resumeBatch(repairs.db, repairs.workspaceId, id);
    assert.deepEqual(await repairs.run(), [], 'its own signal comes first');
    await rows(repairs.db, `UPDATE batches SET look_at = look_at - interval '10 seconds'`);
    assert.deepEqual(await repairs.run(), [`start ${here}`, `changed ${here}`, `start ${gone}`]);
    await rows(repairs.db, `UPDATE batches SET look_at = now()`);
    assert.deepEqual(await repairs.run(), []);
  });

  it('repairDeliveries ends when its time is over, whatever kind of work is left', async () => {
    const { row } = await buildWebhook(repairs.workspaceId, 'https://one.example.test/', { events: ['message.queued'] });
    await buildDelivery(repairs.db, repairs.workspaceId);
    await rows(repairs.db, `UPDATE deliveries SET next_attempt_at = ${longAgo}`);
    await rows(
      repairs.db,
      `INSERT INTO webhooks SELECT (jsonb_populate_record(w, jsonb_build_object('id', gen_random_uuid(), 'revision', w.revision + 1))).*
       FROM webhooks w, generate_series(1, $1)`,
      [2 * repairPageSize],
    );
    const realNow = Date.now;
    let passed = 0;
    // The overdue delivery takes most of the time, and the first page of webhooks that changed takes more than the rest.
    repairs.broken = (call) => {
      passed += call === `retrier ${row.id}` ? 19_000 : 10;
      return false;
    };
    Date.now = () => realNow() + passed;
    try {
      await repairs.activities().repairDeliveries();
    } finally {
      Date.now = realNow;
    }
    assert.equal(repairs.calls.length, 1 + repairPageSize);
  });

  it('repairs fence an undecided batch, and complete one without queued messages', async () => {
    const undecided = await buildBatch(repairs.db, repairs.workspaceId, [2]);
    const { id } = await buildAcceptedBatch(repairs.db, repairs.workspaceId, [2]);
    await rows(repairs.db, `UPDATE messages SET status = 'sent', status_detail = 'unknown', sent_at = now() WHERE batch_id = $1`, [id]);
    assert.deepEqual([await statusOfBatch(undecided.id), await statusOfBatch(id)], ['accepting', 'sending']);
    await makeOpenRowsDue(repairs.db);
    await repairs.run();
    assert.deepEqual([await statusOfBatch(undecided.id), await statusOfBatch(id)], [undefined, 'completed']);
  });
});
