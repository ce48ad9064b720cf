import assert from 'node:assert/strict';
import { select } from '../../../../models/db/database.js';
import { sqlStateOf } from '../../../../models/db/sql-state.js';
import { workspaceForEach } from '../../../support/for-each.js';
import { untilLockWait } from '../../../support/lock-table.js';
import { claimAll, sandboxEverywhere } from '../../../support/rows/messages.js';
import { buildPage } from '../batches/new-batch.js';

describe('claims in a batch', () => {
  const test = workspaceForEach({ balance: 1_000_000 });

  const claim = (groupId: string) => claimAll(test.db, groupId, sandboxEverywhere, { inBatch: true });
  /** Whether nobody holds a lock of the row. */
  const isFree = (table: 'batches' | 'messages', id: string) =>
    select(test.db, `SELECT 1 AS one FROM ${table} WHERE id = $1 FOR UPDATE NOWAIT`, [id]).then(
      () => true,
      (error: unknown) => {
        assert.equal(sqlStateOf(error), '55P03');
        return false;
      },
    );

  it('a claim that waits for its batch holds no message, and claims none when the batch was paused meanwhile', async () => {
    const { batchId: id, groupId, ids } = await buildPage(test.db, test.workspaceId);
    const pausing = await test.db.transaction();
    await select(test.db, `UPDATE batches SET status = 'paused' WHERE id = $1`, [id], pausing);
    const claiming = claim(groupId);
    await untilLockWait(test.db, 'the claim waits for the batch');
    assert.equal(await isFree('messages', ids[0] ?? ''), true);
    await pausing.commit();
    assert.deepEqual(await claiming, []);
  });

  it('a claim that waits for its batch claims its messages when the batch was resumed meanwhile', async () => {
    const { batchId: id, groupId, ids } = await buildPage(test.db, test.workspaceId);
    await select(test.db, `UPDATE batches SET status = 'paused' WHERE id = $1`, [id]);
    const resuming = await test.db.transaction();
    await select(test.db, `UPDATE batches SET status = 'sending' WHERE id = $1`, [id], resuming);
    const claiming = claim(groupId);
    await untilLockWait(test.db, 'the claim waits for the batch');
    await resuming.commit();
    assert.deepEqual(
      (await claiming).map((claimed) => claimed.id),
      ids,
    );
  });

  it('a claim that waits for a message holds its batch, so that a pause waits for it', async () => {
    const { batchId: id, groupId, ids } = await buildPage(test.db, test.workspaceId);
    const held = await test.db.transaction();
    await select(test.db, 'SELECT 1 AS one FROM messages WHERE id = $1 FOR UPDATE', [ids[1]], held);
    const claiming = claim(groupId);
    await untilLockWait(test.db, 'the claim waits for the message');
    assert.equal(await isFree('batches', id), false);
    await held.rollback();
    assert.equal((await claiming).length, 2);
  });
});
