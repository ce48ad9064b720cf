import assert from 'node:assert/strict';
import { deactivateWebhooks, deleteWebhooks } from '../../../../models/operations/accounts/revoke-access.js';
import { Webhook } from '../../../../models/tables/webhook.js';
import { byTest } from '../../../support/by-test.js';
import { untilLockWait } from '../../../support/lock-table.js';
import { workspaceForEach } from '../../../support/for-each.js';
import { buildWebhook } from '../../../support/rows/factories.js';

describe('the webhooks of a workspace', () => {
  const test = workspaceForEach();

  for (const [what, end] of [
    ['deactivated', deactivateWebhooks],
    ['deleted', deleteWebhooks],
  ] as const) {
    it(`webhooks of a workspace are ${what} without a deadlock with deliveries that are left to retriers`, async () => {
      const ids: string[] = [];
      for (let count = 1; count <= 3; count += 1) ids.push((await buildWebhook(test.workspaceId, 'https://one.example.test/')).row.id);
      const retriers = await test.db.transaction();
      const lock = (id: string | undefined) =>
        test.db.query('SELECT 1 FROM webhooks WHERE id = $1 FOR NO KEY UPDATE', { bind: [id], transaction: retriers });
      await lock(ids[0]);
      const ending = test.db.transaction((transaction) => end(test.db, transaction, test.workspaceId, byTest));
      await untilLockWait(test.db, 'it waits for the lock');
      await lock(ids[2]);
      await retriers.commit();
      await ending;
      assert.equal(await Webhook.count({ where: { id: ids, is_active: true } }), 0);
    });
  }
});
