import assert from 'node:assert/strict';
import { forgetOwner } from '../../../../models/operations/accounts/forget-owner.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { entriesRead } from '../../../support/rows/entries-read.js';
import { buildWorkspace } from '../../../support/rows/factories.js';

const stored = 2_000;

describe('the audit events of an owner who closed the account', () => {
  const test = useDatabase({ poolMax: 1 });
  let workspaceId: string;
  before(async () => {
    workspaceId = (await buildWorkspace(test.db)).id;
    const insert = `
      INSERT INTO audit_events (id, workspace_id, type, at, actor_type, actor_name, changes)
      SELECT gen_random_uuid(), $1, CASE n % 2 WHEN 0 THEN 'auth.login' ELSE 'billing.refund' END, now() - n / 3 * interval '1 microsecond', 'user',
        'ada@example.org', '{"sum": 1}' FROM generate_series(1, $2::integer) n`;
    await rows(test.db, insert, [workspaceId, stored]);
    await rows(test.db, 'ANALYZE audit_events', []);
  });

  it('lose all names, and each page reads only its own events', async () => {
    const forget = async () => assert.ok(await forgetOwner(test.db, workspaceId, Date.now() + 20_000, 50));
    const read = await entriesRead(test.db, 'audit_events', forget);
    assert.ok(read < 4 * stored, `${read} entries read`);
    const left = await rows<{ type: string; named: number; with_changes: number }>(
      test.db,
      `SELECT type, count(actor_name) AS named, count(changes) AS with_changes FROM audit_events WHERE workspace_id = $1 GROUP BY type ORDER BY type`,
      [workspaceId],
    );
    assert.deepEqual(left, [
      { type: 'auth.login', named: 0, with_changes: 0 },
      { type: 'billing.refund', named: 0, with_changes: stored / 2 },
    ]);
  });
});
