import assert from 'node:assert/strict';
import type { Database } from '../../../../models/db/database.js';
import { viewBatch } from '../../../../models/operations/batches/view-batch.js';
import { rows } from '../../../support/database.js';
import { balanceOf, ledgerOf } from '../../../support/rows/messages.js';
import type { BatchOracle } from './batch-oracle.js';

/** Asserts that the database has the money, messages, counts and status of the oracle, and each event once. */
export async function assertAgreement(db: Database, workspaceId: string, batchId: string, oracle: BatchOracle): Promise<void> {
  assert.equal(await balanceOf(db, workspaceId), oracle.balance);
  const stored = await rows<{ id: string; status: string; status_detail: string }>(
    db,
    'SELECT id, status, status_detail FROM messages WHERE batch_id = $1 ORDER BY id',
    [batchId],
  );
  if (oracle.status === 'gone') return assert.deepEqual([stored, await ledgerOf(db, workspaceId)], [[], [`grant ${oracle.balance}`]]);
  if (oracle.status === 'accepting') return;
  assert.deepEqual(
    stored.map(({ status, status_detail }) => (status_detail === 'sending' ? 'sending' : status)),
    oracle.messages.map(({ status }) => status),
  );
  const { counts, status } = await viewBatch(db, workspaceId, batchId);
  oracle.complete(); // who looks at it completes it
  assert.equal(status, oracle.status);
  assert.equal(
    Object.values(counts).reduce((sum, count) => sum + count, 0),
    oracle.messages.length,
    'the counts add up',
  );
  const doubled = await rows(db, `SELECT message_id, type FROM events WHERE workspace_id = $1 GROUP BY 1, 2 HAVING count(*) > 1`, [
    workspaceId,
  ]);
  assert.deepEqual(doubled, [], 'each event once');
}
