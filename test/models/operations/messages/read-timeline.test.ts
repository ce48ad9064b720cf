import assert from 'node:assert/strict';
import { readTimeline } from '../../../../models/operations/messages/read-timeline.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { entriesRead } from '../../../support/rows/entries-read.js';
import { buildAcceptedBatch } from '../../../support/rows/batches.js';
import { buildWorkspace } from '../../../support/rows/factories.js';
import { buildSent, reportOf } from '../../../support/rows/messages.js';
import { applyReports, recordReports } from '../../../support/rows/reports.js';

const others = 5_000;

describe('the timeline of one message among many', () => {
  const test = useDatabase({ poolMax: 1 });
  let workspaceId: string;
  before(async () => {
    workspaceId = (await buildWorkspace(test.db)).id;
  });

  it('the timeline of a message reads only its own reports, applied or waiting', async () => {
    const message = await buildSent(test.db, workspaceId);
    await recordReports(test.db, [reportOf(message, 'sent')]);
    await applyReports(test.db, message.group_id);
    await recordReports(test.db, [reportOf(message, 'delivered')]);
    await rows(
      test.db,
      `INSERT INTO delivery_reports (id, provider, provider_message_id, status, message_id, group_id, occurred_at, applied_at, outcome, raw)
       SELECT id, 'sandbox', 'of ' || id, 'sent', id, id, now(), now(), 'ignored', '{}' FROM (SELECT uuidv7() FROM generate_series(1, $1)) AS r (id)`,
      [others],
    );
    await rows(test.db, 'VACUUM ANALYZE delivery_reports');
    const read = await entriesRead(test.db, 'delivery_reports', async () => {
      const { reports } = await readTimeline(test.db, workspaceId, message.id);
      assert.deepEqual(
        reports.map(({ status, applied_at }) => [status, applied_at !== null]),
        [
          ['sent', true],
          ['delivered', false],
        ],
      );
    });
    assert.ok(read < 50, `${read} reports were read`);
  });

  it('the timeline of a message reads only its own entries of the ledger, also in a cancelled batch', async () => {
    const { id: batchId } = await buildAcceptedBatch(test.db, workspaceId, [2]);
    await rows(test.db, `UPDATE messages SET status = 'failed', status_detail = 'cancelled', failed_at = now() WHERE batch_id = $1`, [
      batchId,
    ]);
    const [message] = await rows<{ id: string }>(test.db, 'SELECT min(id::text) AS id FROM messages WHERE batch_id = $1', [batchId]);
    const { id } = message ?? assert.fail('the batch is empty');
    await rows(
      test.db,
      `INSERT INTO credit_entries (id, workspace_id, kind, amount, balance_after, reference, description)
       SELECT uuidv7(), $1, 'refund', 1, 1, reference, '' FROM (
         SELECT 'cancel:' || $2 UNION ALL SELECT 'cancel:' || uuidv7() FROM generate_series(1, $3::integer)) AS r (reference)`,
      [workspaceId, id, others],
    );
    await rows(test.db, 'VACUUM ANALYZE credit_entries');
    const read = await entriesRead(test.db, 'credit_entries', async () => {
      const { entries } = await readTimeline(test.db, workspaceId, id);
      assert.deepEqual(entries.map(({ kind }) => kind).toSorted(), ['debit', 'refund']); // the ids come from two clocks
    });
    assert.ok(read < 50, `${read} entries were read`);
  });
});
