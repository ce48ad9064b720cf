import assert from 'node:assert/strict';
import { issueLowBalanceMails } from '../../../../models/operations/mails/issue-low-balance-mails.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildQueued, buildWorkspace } from '../../../support/rows/factories.js';

describe('issueLowBalanceMails', () => {
  const test = useDatabase({ forEachTest: true, checksBooks: true });
  const issue = () => issueLowBalanceMails(test.db, 5_000, 600);
  const mails = () => rows(test.db, 'SELECT workspace_id, kind, detail, sent_at FROM mails');

  it('mails a workspace below the limit once a day', async () => {
    const { id } = await buildWorkspace(test.db, 5_500);
    assert.equal(await issue(), 0, 'nothing was spent');
    await buildQueued(test.db, id, { cost: 500 });
    assert.equal(await issue(), 0, 'at the limit is not below it');
    await buildQueued(test.db, id, { cost: 500 });
    assert.deepEqual([await issue(), await issue()], [1, 0]);
    assert.deepEqual(await mails(), [{ workspace_id: id, kind: 'low_balance', detail: { balance: 4_500 }, sent_at: null }]);
    await rows(test.db, `UPDATE mails SET created_at = now() - interval '25 hours'`);
    assert.equal(await issue(), 1);
  });

  it('mails no workspace that spent nothing recently or has more', async () => {
    await buildWorkspace(test.db, 0);
    const [rich, idle] = [await buildWorkspace(test.db, 100_000), await buildWorkspace(test.db, 2_000)];
    for (const { id } of [rich, idle]) await buildQueued(test.db, id);
    await rows(test.db, `UPDATE workspaces SET updated_at = now() - interval '11 minutes' WHERE id = $1`, [idle.id]);
    assert.equal(await issue(), 0);
    assert.deepEqual(await mails(), []);
  });
});
