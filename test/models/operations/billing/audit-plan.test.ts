import assert from 'node:assert/strict';
import { auditNow } from '../../../../models/operations/billing/audit-books.js';
import { rows } from '../../../support/database.js';
import { workspaceForEach } from '../../../support/for-each.js';
import { buildQueuedGroup, claimAll, sandboxEverywhere } from '../../../support/rows/messages.js';
import { recordHandoffs } from '../../../support/rows/reports.js';

describe('the plan of the audit', () => {
  const test = workspaceForEach({ balance: 1_000_000, poolMax: 1 });

  /** Searches of the index by kind and reference so far. */
  const searches = async () => {
    await rows(test.db, 'SELECT pg_stat_force_next_flush()');
    const sql = `SELECT idx_scan AS count FROM pg_stat_user_indexes WHERE indexrelname = 'credit_entries_kind_reference_key'`;
    return (await rows<{ count: number }>(test.db, sql))[0]?.count ?? 0;
  };

  it('the audit looks up the entries of each message by index, although the tables have no statistics', async () => {
    const count = 400;
    const { groupId } = await buildQueuedGroup(test.db, test.workspaceId, count);
    const rejected = { provider: 'sandbox', outcome: 'rejected', error_code: '30008', error_message: 'Unknown destination' } as const;
    const claims = await claimAll(test.db, groupId, sandboxEverywhere);
    await recordHandoffs(
      test.db,
      claims.map(({ id, attempt }) => ({ id, attempt, ...rejected })),
    );
    const before = await searches();
    assert.equal(await auditNow(test.db, () => undefined), 0);
    assert.ok((await searches()) - before >= 2 * count, 'its debit and its refund');
  });
});
