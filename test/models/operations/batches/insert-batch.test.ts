import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { Batch } from '../../../../models/tables/batch.js';
import type { NewMessage } from '../../../../models/tables/message.js';
import { acceptBatch } from '../../../../models/operations/batches/accept-batch.js';
import { viewBatch, viewBatches } from '../../../../models/operations/batches/view-batch.js';
import { fenceBatch } from '../../../../models/operations/batches/fence-batch.js';
import { insertBatch, type NewBatch } from '../../../../models/operations/batches/insert-batch.js';
import type { NewGroup } from '../../../../models/operations/messages/insert-messages.js';
import { workflowIds } from '../../../../workflows/contract.js';
import { freshDatabase, rows, type TestDatabase } from '../../../support/database.js';
import { buildWorkspace, newMessage } from '../../../support/rows/factories.js';

describe('insertBatch', () => {
  let test: TestDatabase;
  before(async () => {
    test = await freshDatabase();
  });
  after(() => test.drop());
  beforeEach(() => test.db.query('DELETE FROM messages; DELETE FROM message_groups; DELETE FROM batches'));

  const newBatch = (workspaceId: string, changes: Partial<NewBatch> = {}): NewBatch => ({
    id: uuidv7(),
    workspace_id: workspaceId,
    channel: 'sms',
    total: 5,
    accepted: 5,
    invalid: 0,
    errors: [],
    cost: 5000,
    rate: null,
    idempotency_key: null,
    request_digest: null,
    scheduled_at: null,
    created_at: new Date(),
    ...changes,
  });
  async function* pagesOf({ id, workspace_id, accepted }: NewBatch, size = 2, changes: Partial<NewMessage> = {}): AsyncGenerator<NewGroup> {
    for (let from = 0; from < accepted; from += size) {
      const groupId = uuidv7();
      const messages = Array.from({ length: Math.min(size, accepted - from) }, (_, index) =>
        newMessage({ id: uuidv7(), workspace_id, group_id: groupId, batch_id: id, to: `+1555${1_000_000 + from + index}`, ...changes }),
      );
      yield { groupId, workflowId: workflowIds.page(groupId), messages };
    }
  }
  const counted = async () => {
    const sql = `SELECT (SELECT count(*) FROM batches) AS batches, (SELECT count(*) FROM message_groups) AS pages, (SELECT count(*) FROM messages) AS messages`;
    const [row] = await rows<{ batches: number; pages: number; messages: number }>(test.db, sql);
    return Object.values(row ?? {});
  };

  it('stores batch, pages and messages in order, undecided and not shown', async () => {
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

  it('stores nothing when a page fails or is missing', async () => {
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
    assert.deepEqual(await counted(), [0, 0, 0]);
  });

  it('stores one of ten at once with one idempotency key, and the others find it', async () => {
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
    assert.deepEqual(await counted(), [1, 3, 5]);
    const other = newBatch((await buildWorkspace(test.db)).id, { idempotency_key: 'same', request_digest: Buffer.from('x') });
    assert.equal(await insertBatch(test.db, other, pagesOf(other)), true);
  });

  it('blocks no debit', async () => {
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

  describe('fenceBatch', () => {
    it('deletes only undecided batches', async () => {
      const { id: workspaceId } = await buildWorkspace(test.db);
      const [one, other] = [newBatch(workspaceId), newBatch(workspaceId)];
      for (const batch of [one, other]) await insertBatch(test.db, batch, pagesOf(batch));
      assert.equal((await acceptBatch(test.db, other.id)).accepted, true);
      assert.deepEqual(
        [await fenceBatch(test.db, one.id), await fenceBatch(test.db, one.id), await fenceBatch(test.db, other.id)],
        [true, false, false],
      );
      assert.deepEqual(await counted(), [1, 3, 5]);
      assert.equal((await acceptBatch(test.db, one.id)).accepted, false);
    });
    it('excludes acceptance at the same time', async () => {
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

  describe('viewBatch', () => {
    it('counts every message once, with its cost', async () => {
      const { id: workspaceId } = await buildWorkspace(test.db);
      const batch = newBatch(workspaceId);
      await insertBatch(test.db, batch, pagesOf(batch));
      await acceptBatch(test.db, batch.id);
      const look = async () => {
        const { status, counts, creditsUsed } = await viewBatch(test.db, workspaceId, batch.id);
        return [status, Object.values(counts), creditsUsed];
      };
      assert.deepEqual(await look(), ['sending', [5, 0, 0, 0, 0], 5000]);
      const move = (page: number, status: string, credits = 1000) =>
        test.db.query(
          `UPDATE messages SET status = '${status}', credits_used = ${credits} WHERE group_id = (SELECT id FROM message_groups WHERE page = ${page})`,
        );
      await move(0, 'failed', 0);
      assert.deepEqual(await look(), ['sending', [3, 0, 0, 2, 0], 3000]);
      await move(1, 'sent');
      await Batch.update({ status: 'paused' }, { where: { id: batch.id } });
      assert.deepEqual(await look(), ['paused', [1, 2, 0, 2, 0], 3000]);
      await move(2, 'delivered');
      assert.deepEqual(await look(), ['completed', [0, 2, 1, 2, 0], 3000]);
      assert.notEqual((await Batch.findByPk(batch.id))?.completed_at, null);
      await move(1, 'read');
      assert.deepEqual(await look(), ['completed', [0, 0, 1, 2, 2], 3000]);
    });
    it('shows scheduled until its time', async () => {
      const { id: workspaceId } = await buildWorkspace(test.db);
      const batch = newBatch(workspaceId, { scheduled_at: new Date(Date.now() + 60_000) });
      await insertBatch(test.db, batch, pagesOf(batch));
      await acceptBatch(test.db, batch.id);
      assert.equal((await viewBatch(test.db, workspaceId, batch.id)).status, 'scheduled');
      await Batch.update({ scheduled_at: new Date(Date.now() - 1) }, { where: { id: batch.id } });
      assert.equal((await viewBatch(test.db, workspaceId, batch.id)).status, 'sending');
    });
  });
});
