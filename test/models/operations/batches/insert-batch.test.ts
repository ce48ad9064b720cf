import assert from 'node:assert/strict';
import { Batch } from '../../../../models/tables/batch.js';
import { viewBatch, viewBatches } from '../../../../models/operations/batches/view-batch.js';
import { insertBatch } from '../../../../models/operations/batches/insert-batch.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildWorkspace } from '../../../support/rows/factories.js';
import { counted, newBatch, pagesOf } from './new-batch.js';

describe('insertBatch', () => {
  const test = useDatabase();
  beforeEach(() => test.db.query('DELETE FROM messages; DELETE FROM message_groups; DELETE FROM batches'));

  it('a batch is stored with pages and messages in order, undecided and not shown', async () => {
    const { id: workspaceId } = await buildWorkspace(test.db);
    const batch = newBatch(workspaceId, {
      rate: 2.5,
      errors: [{ index: 7, field: 'recipients[7].to', message: 'ü "q" \\u0000' }],
      invalid: 1,
      scheduled_at: new Date('2027-01-02T03:04:05.678Z'),
      idempotency_key: 'k',
      request_digest: Buffer.from([0, 255, 92]),
    });
    assert.equal(await insertBatch(test.db, batch, pagesOf(batch)), true);
    const stored = (await Batch.findByPk(batch.id))?.get();
    assert.deepEqual(stored, { ...batch, status: 'accepting', completed_at: null });
    const groups = await rows<{ workflow_id: string; page: number; id: string }>(
      test.db,
      'SELECT * FROM message_groups WHERE batch_id = $1 ORDER BY page',
      [batch.id],
    );
    assert.deepEqual(
      groups.map(({ page }) => page),
      [0, 1, 2],
    );
    for (const { id, workflow_id } of groups) assert.equal(workflow_id, `page:${id}`);
    const messages = await rows<{ to: string; status: string; page: number }>(
      test.db,
      'SELECT m.*, g.page FROM messages m JOIN message_groups g ON g.id = m.group_id WHERE m.batch_id = $1 ORDER BY m.id',
      [batch.id],
    );
    assert.deepEqual(
      messages.map(({ to }) => Number(to.slice(-1))),
      [0, 1, 2, 3, 4],
    );
    assert.deepEqual(
      messages.map(({ page }) => page),
      [0, 0, 1, 1, 2],
    );
    assert.deepEqual(new Set(messages.map(({ status }) => status)), new Set(['accepting']));
    await assert.rejects(viewBatch(test.db, workspaceId, batch.id), { message: 'Batch not found' });
    assert.equal((await viewBatches(test.db, workspaceId, { page: 1, limit: 10 })).total, 0);
  });

  it('nothing of a batch is stored when a page fails or is missing', async () => {
    const batch = newBatch((await buildWorkspace(test.db)).id);
    const broken = async function* () {
      for await (const page of pagesOf(batch)) {
        yield page;
        throw new Error('broken');
      }
    };
    await assert.rejects(insertBatch(test.db, batch, broken()), /broken/);
    await assert.rejects(insertBatch(test.db, batch, pagesOf({ ...batch, accepted: 3 })), /3 messages for 5/);
    await assert.rejects(insertBatch(test.db, batch, pagesOf(batch, 2, { to: '\0' })));
    assert.deepEqual(await counted(test.db), [0, 0, 0]);
  });

  it('the watcher leaves a batch alone for two minutes after it is stored, however long that took', async () => {
    const batch = newBatch((await buildWorkspace(test.db)).id);
    let lastPageAt = '';
    const timed = async function* () {
      yield* pagesOf(batch);
      const [clock] = await rows<{ at: string }>(test.db, 'SELECT clock_timestamp()::text AS at');
      lastPageAt = clock?.at ?? '';
    };
    await insertBatch(test.db, batch, timed());
    const sql = `SELECT look_at >= $2::timestamptz + interval '120 seconds' AS "isLeftAlone" FROM batches WHERE id = $1`;
    assert.deepEqual(await rows(test.db, sql, [batch.id, lastPageAt]), [{ isLeftAlone: true }]);
  });

  it('one of ten concurrent batches with the same key is stored', async () => {
    const { id: workspaceId } = await buildWorkspace(test.db);
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const batch = newBatch(workspaceId, { idempotency_key: 'same', request_digest: Buffer.from('x') });
        const isStored = await insertBatch(test.db, batch, pagesOf(batch));
        return isStored || (await Batch.count({ where: { idempotency_key: 'same' } }));
      }),
    );
    assert.equal(outcomes.filter((outcome) => outcome === true).length, 1);
    assert.equal(outcomes.filter((outcome) => outcome === 1).length, 9);
    assert.deepEqual(await counted(test.db), [1, 3, 5]);
    const other = newBatch((await buildWorkspace(test.db)).id, { idempotency_key: 'same', request_digest: Buffer.from('x') });
    assert.equal(await insertBatch(test.db, other, pagesOf(other)), true);
  });

  it('the insert of a batch does not lock the balance', async () => {
    const { id: workspaceId } = await buildWorkspace(test.db);
    const batch = newBatch(workspaceId);
    const slowly = async function* () {
      for await (const page of pagesOf(batch)) {
        yield page;
        await test.db.query(`SET lock_timeout = 500; UPDATE workspaces SET balance = balance WHERE id = '${workspaceId}'`);
      }
    };
    assert.equal(await insertBatch(test.db, batch, slowly()), true);
  });
});
