import assert from 'node:assert/strict';
import { Batch } from '../../../../models/tables/batch.js';
import { viewBatch, viewBatches } from '../../../../models/operations/batches/view-batch.js';
import { insertBatch } from '../../../../models/operations/batches/insert-batch.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildWorkspace } from '../../../support/rows/factories.js';
import { acceptBatch } from '../../../support/rows/batches.js';
import { newBatch, pagesOf } from './new-batch.js';

const none = { queued: 0, sent: 0, delivered: 0, failed: 0, read: 0 };

describe('viewBatch', () => {
  const test = useDatabase();
  beforeEach(() => test.db.query('DELETE FROM messages; DELETE FROM message_groups; DELETE FROM batches'));

  it('a batch counts every message once, with its cost', async () => {
    const { id: workspaceId } = await buildWorkspace(test.db);
    const batch = newBatch(workspaceId);
    await insertBatch(test.db, batch, pagesOf(batch));
    await acceptBatch(test.db, batch.id);
    const look = async () => {
      const { status, counts, creditsUsed } = await viewBatch(test.db, workspaceId, batch.id);
      return [status, counts, creditsUsed];
    };
    assert.deepEqual(await look(), ['sending', { ...none, queued: 5 }, 5000]);
    const move = (page: number, status: string, credits = 1000) =>
      test.db.query(
        `UPDATE messages SET status = '${status}', ${status}_at = now(), credits_used = ${credits}
         WHERE group_id = (SELECT id FROM message_groups WHERE page = ${page})`,
      );
    await move(0, 'failed', 0);
    assert.deepEqual(await look(), ['sending', { ...none, queued: 3, failed: 2 }, 3000]);
    await move(1, 'sent');
    await Batch.update({ status: 'paused' }, { where: { id: batch.id } });
    assert.deepEqual(await look(), ['paused', { ...none, queued: 1, sent: 2, failed: 2 }, 3000]);
    await move(2, 'delivered');
    assert.deepEqual(await look(), ['completed', { ...none, sent: 2, delivered: 1, failed: 2 }, 3000]);
    assert.notEqual((await Batch.findByPk(batch.id))?.completed_at, null);
    await move(1, 'read');
    assert.deepEqual(await look(), ['completed', { ...none, delivered: 1, failed: 2, read: 2 }, 3000]);
  });
  it('a list of batches reads no errors, also for one that is completed meanwhile', async () => {
    const { id: workspaceId } = await buildWorkspace(test.db);
    const errors = [{ index: 5, field: 'recipients[5].to', message: 'x' }];
    for (const accepted of [5, 2]) {
      const batch = newBatch(workspaceId, { accepted, cost: accepted * 1000, errors, invalid: 1 });
      await insertBatch(test.db, batch, pagesOf(batch));
      await acceptBatch(test.db, batch.id);
      if (accepted === 2) await test.db.query(`UPDATE messages SET status = 'sent', sent_at = now() WHERE batch_id = '${batch.id}'`);
    }
    const { rows } = await viewBatches(test.db, workspaceId, { page: 1, limit: 100 });
    assert.deepEqual(
      rows.map(({ batch, status }) => [status, batch.accepted, 'errors' in batch, batch.completed_at !== null]),
      [
        ['completed', 2, false, true],
        ['sending', 5, false, false],
      ],
    );
    const { batch } = await viewBatch(test.db, workspaceId, rows[0]?.batch.id ?? '');
    assert.deepEqual(batch.errors, errors);
  });
  it('a batch is shown as scheduled until its time', async () => {
    const { id: workspaceId } = await buildWorkspace(test.db);
    const batch = newBatch(workspaceId, { scheduled_at: new Date(Date.now() + 60_000) });
    await insertBatch(test.db, batch, pagesOf(batch));
    await acceptBatch(test.db, batch.id);
    assert.equal((await viewBatch(test.db, workspaceId, batch.id)).status, 'scheduled');
    await Batch.update({ scheduled_at: new Date(Date.now() - 1) }, { where: { id: batch.id } });
    assert.equal((await viewBatch(test.db, workspaceId, batch.id)).status, 'sending');
  });
});
