import assert from 'node:assert/strict';
import { closingActivities } from '../../activities/closing.js';
import { createLogger } from '../../models/logger.js';
import { closeWorkspace } from '../../models/operations/accounts/close-workspace.js';
import { byTest } from '../support/by-test.js';
import { freshDatabase, rows, type TestDatabase } from '../support/database.js';
import { buildQueued, buildWorkspace } from '../support/factories.js';
import { assertBooks } from '../support/invariants.js';

describe('settleClosedWorkspaces', () => {
  let test: TestDatabase;
  before(async () => {
    test = await freshDatabase();
  });
  after(() => test.drop());

  it('cancels what closed workspaces have queued, and leaves others alone', async () => {
    const [closed, open] = [await buildWorkspace(test.db), await buildWorkspace(test.db)];
    for (const { id } of [closed, closed, open]) await buildQueued(test.db, id);
    await closeWorkspace(test.db, closed.id, byTest);
    await rows(test.db, `UPDATE workspaces SET closed_at = now() - interval '2 minutes' WHERE closed_at IS NOT NULL`);
    const { settleClosedWorkspaces } = closingActivities({ db: test.db, logger: createLogger('test', 'silent') });
    for (const _ of [1, 2]) await settleClosedWorkspaces();
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
});
