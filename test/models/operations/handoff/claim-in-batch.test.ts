import assert from 'node:assert/strict';
import { select } from '../../../../models/db/database.js';
import { sqlStateOf } from '../../../../models/db/sql-state.js';
import { workspaceForEach } from '../../../support/for-each.js';
import { untilLockWait } from '../../../support/lock-table.js';
import { buildAcceptedBatch } from '../../../support/rows/batches.js';
import { claimAll, sandboxEverywhere } from '../../../support/rows/messages.js';

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
  /** A batch of two messages in one page. */
  const buildPage = async () => {
    const { id, pages } = await buildAcceptedBatch(test.db, test.workspaceId, [2]);
    const { groupId = '', ids = [] } = pages[0] ?? {};
    const [first = '', second = ''] = ids.toSorted();
    return { id, groupId, first, second };
  };

  it('a claim that waits for its batch holds no message, and claims none when the batch was paused meanwhile', async () => {
    const { id, groupId, first } = await buildPage();
    const pausing = await test.db.transaction();
    await select(test.db, `UPDATE batches SET status = 'paused' WHERE id = $1`, [id], pausing);
    const claiming = claim(groupId);
    await untilLockWait(test.db, 'the claim waits for the batch');
    assert.equal(await isFree('messages', first), true);
    await pausing.commit();
    assert.deepEqual(await claiming, []);
  });

  it('a claim that waits for its batch claims its messages when the batch was resumed meanwhile', async () => {
    const { id, groupId, first, second } = await buildPage();
    await select(test.db, `UPDATE batches SET status = 'paused' WHERE id = $1`, [id]);
    const resuming = await test.db.transaction();
    await select(test.db, `UPDATE batches SET status = 'sending' WHERE id = $1`, [id], resuming);
    const claiming = claim(groupId);
    await untilLockWait(test.db, 'the claim waits for the batch');
    await resuming.commit();
    assert.deepEqual(
      (await claiming).map((claimed) => claimed.id),
      [first, second],
    );
  });

  it('a claim that waits for a message holds its batch, so that a pause waits for it', async () => {
    const { id, groupId, second } = await buildPage();
    const held = await test.db.transaction();
    await select(test.db, 'SELECT 1 AS one FROM messages WHERE id = $1 FOR UPDATE', [second], held);
    const claiming = claim(groupId);
    await untilLockWait(test.db, 'the claim waits for the message');
    assert.equal(await isFree('batches', id), false);
    await held.rollback();
    assert.equal((await claiming).length, 2);
  });
});
