import assert from 'node:assert/strict';
import { Batch } from '../../../../models/tables/batch.js';
import { fenceBatch } from '../../../../models/operations/batches/fence-batch.js';
import { insertBatch } from '../../../../models/operations/batches/insert-batch.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildWorkspace } from '../../../support/rows/factories.js';
import { acceptBatch } from '../../../support/rows/batches.js';
import { counted, newBatch, pagesOf } from './new-batch.js';

describe('fenceBatch', () => {
  const test = useDatabase();

  it('only undecided batches are deleted by a fence', async () => {
    const { id: workspaceId } = await buildWorkspace(test.db);
    const [one, other] = [newBatch(workspaceId), newBatch(workspaceId)];
    for (const batch of [one, other]) await insertBatch(test.db, batch, pagesOf(batch));
    assert.equal((await acceptBatch(test.db, other.id)).accepted, true);
    assert.deepEqual(
      [await fenceBatch(test.db, one.id), await fenceBatch(test.db, one.id), await fenceBatch(test.db, other.id)],
      [true, false, false],
    );
    assert.deepEqual(await counted(test.db), [1, 3, 5]);
    assert.equal((await acceptBatch(test.db, one.id)).accepted, false);
  });

  it('a batch of a workspace that was closed before its decision is deleted, and nothing is charged', async () => {
    const { id: workspaceId } = await buildWorkspace(test.db, 1_000_000);
    const batch = newBatch(workspaceId);
    await insertBatch(test.db, batch, pagesOf(batch));
    await rows(test.db, 'UPDATE workspaces SET closed_at = now() WHERE id = $1', [workspaceId]);
    assert.equal((await acceptBatch(test.db, batch.id)).accepted, false);
    assert.equal(await Batch.count({ where: { id: batch.id } }), 0);
    assert.deepEqual(await rows(test.db, 'SELECT balance FROM workspaces WHERE id = $1', [workspaceId]), [{ balance: 1_000_000 }]);
  });

  it('a batch is either fenced or accepted when both happen at the same time', async () => {
    const { id: workspaceId } = await buildWorkspace(test.db, 1_000_000);
    for (let round = 0; round < 10; round += 1) {
      const batch = newBatch(workspaceId);
      await insertBatch(test.db, batch, pagesOf(batch));
      const [isFenced, { accepted }] = await Promise.all([fenceBatch(test.db, batch.id), acceptBatch(test.db, batch.id)]);
      assert.notEqual(isFenced, accepted);
      assert.equal(await Batch.count({ where: { id: batch.id } }), accepted ? 1 : 0);
    }
  });
});
