import assert from 'node:assert/strict';
import { closingActivities } from '../../../activities/watch/closing.js';
import { createLogger } from '../../../models/process/logger.js';
import { closeWorkspace } from '../../../models/operations/accounts/close-workspace.js';
import { v7 as uuidv7 } from 'uuid';
import { Contact } from '../../../models/tables/contact.js';
import { suppress } from '../../../models/operations/contacts/suppress.js';
import { byTest } from '../../support/by-test.js';
import { rows } from '../../support/database.js';
import { useDatabase } from '../../support/for-each.js';
import { buildQueued, buildWorkspace } from '../../support/rows/factories.js';
import { assertBooks } from '../../../harness/checks/invariants.js';

describe('settleClosedWorkspaces', () => {
  const test = useDatabase();

  const settleTwice = async () => {
    await rows(test.db, `UPDATE workspaces SET closed_at = now() - interval '2 minutes' WHERE closed_at IS NOT NULL`);
    const { settleClosedWorkspaces } = closingActivities({ db: test.db, logger: createLogger('test', 'silent') });
    for (const _ of [1, 2]) await settleClosedWorkspaces();
  };

  it('the queued messages of a closed workspace are cancelled, and no others', async () => {
    const [closed, open] = [await buildWorkspace(test.db), await buildWorkspace(test.db)];
    for (const { id } of [closed, closed, open]) await buildQueued(test.db, id);
    await closeWorkspace(test.db, closed.id, byTest);
    await settleTwice();
    const found = await rows<{ id: string; cancelled: number; queued: number; settled: boolean }>(
      test.db,
      `SELECT w.id, count(*) FILTER (WHERE m.status_detail = 'cancelled')::int AS cancelled,
         count(*) FILTER (WHERE m.status = 'queued')::int AS queued, w.settled_at IS NOT NULL AS settled
       FROM workspaces w JOIN messages m ON m.workspace_id = w.id GROUP BY w.id ORDER BY w.id`,
    );
    assert.deepEqual(found, [
      { id: closed.id, cancelled: 2, queued: 0, settled: true },
      { id: open.id, cancelled: 0, queued: 1, settled: false },
    ]);
    await assertBooks(test.db);
  });

  it('a closed workspace loses its contacts and suppressions', async () => {
    const [closed, open] = [await buildWorkspace(test.db), await buildWorkspace(test.db)];
    for (const { id: workspace_id } of [closed, open]) {
      await suppress(test.db, [{ workspace_id, channel: 'sms', recipient: '+15551234567', reason: 'opt_out', source: 'inbound' }]);
      await Contact.create({ id: uuidv7(), workspace_id, name: 'Ada', phone: '+15551234567', email: null, tags: [], custom_fields: {} });
    }
    await closeWorkspace(test.db, closed.id, byTest);
    await settleTwice();
    const left = 'SELECT workspace_id FROM contacts UNION ALL SELECT workspace_id FROM suppressions';
    assert.deepEqual(await rows(test.db, left), [{ workspace_id: open.id }, { workspace_id: open.id }]);
  });

  it('a closed workspace is settled while another one fails, and the step fails', async () => {
    const [broken, other] = [await buildWorkspace(test.db), await buildWorkspace(test.db)];
    for (const { id } of [broken, other]) await closeWorkspace(test.db, id, byTest);
    await rows(test.db, `UPDATE workspaces SET closed_at = now() - interval '3 minutes' WHERE id = $1`, [broken.id]);
    await rows(test.db, `UPDATE workspaces SET closed_at = now() - interval '2 minutes' WHERE id = $1`, [other.id]);
    await rows(
      test.db,
      `ALTER TABLE workspaces ADD CONSTRAINT never_settled CHECK (id <> '${broken.id}' OR forgotten_at IS NULL AND closing_after IS NULL) NOT VALID`,
    );
    const { settleClosedWorkspaces } = closingActivities({ db: test.db, logger: createLogger('test', 'silent') });
    await assert.rejects(settleClosedWorkspaces(), /never_settled/);
    const settled = `SELECT id FROM workspaces WHERE settled_at IS NOT NULL AND id = ANY($1::uuid[])`;
    assert.deepEqual(await rows(test.db, settled, [[broken.id, other.id]]), [{ id: other.id }]);
  });
});
