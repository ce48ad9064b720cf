import assert from 'node:assert/strict';
import { batchPace, reserveSlots } from '../../../../models/operations/batches/batch-pace.js';
import { rows } from '../../../support/database.js';
import { workspaceForEach } from '../../../support/for-each.js';
import { buildAcceptedBatch } from '../../../support/rows/batches.js';

describe('the pace of a batch', () => {
  const test = workspaceForEach();

  it('the pace of a batch is not limited without a rate', async () => {
    const { id } = await buildAcceptedBatch(test.db, test.workspaceId, [1]);
    assert.equal((await batchPace(test.db, id)).rate, null);
  });

  it('a batch that begins late, or is resumed, gets no more than its rate', async () => {
    const { id } = await buildAcceptedBatch(test.db, test.workspaceId, [9], { rate: 1 });
    await rows(test.db, `UPDATE batches SET next_slot_at = now() - interval '5 seconds' WHERE id = $1`, [id]);
    const reserve = () => reserveSlots(test.db, id, { messages: 1, horizonMs: 10_000 });
    assert.equal((await reserve()).waitMs, 0);
    const { waitMs } = await reserve();
    assert.ok(waitMs > 900 && waitMs <= 1_000, `${waitMs} ms`);
  });

  for (const rate of [1e-12, 1e-18, 5e-324]) {
    it(`a batch at ${rate} a second begins at once, and its second message waits for days`, async () => {
      const { id } = await buildAcceptedBatch(test.db, test.workspaceId, [2], { rate });
      assert.equal((await batchPace(test.db, id)).rate, 1e-6);
      const reserve = () => reserveSlots(test.db, id, { messages: 1, horizonMs: 500 });
      assert.deepEqual(await reserve(), { waitMs: 0, isReserved: true });
      const { waitMs, isReserved } = await reserve();
      assert.ok(!isReserved && waitMs > 10 * 86_400_000, `${waitMs} ms`);
    });
  }
});
