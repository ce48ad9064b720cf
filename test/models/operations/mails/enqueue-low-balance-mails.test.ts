import assert from 'node:assert/strict';
import { closeWorkspace } from '../../../../models/operations/accounts/close-workspace.js';
import { endAllSessions } from '../../../../models/operations/accounts/end-sessions.js';
import { inTransaction } from '../../../../models/db/database.js';
import { takeBack } from '../../../../models/operations/billing/post-credits.js';
import { enqueueLowBalanceMails } from '../../../../models/operations/mails/enqueue-low-balance-mails.js';
import { byTest } from '../../../support/by-test.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildQueued, buildWorkspace } from '../../../support/rows/factories.js';
import { giveUpNow } from '../../../support/rows/messages.js';

describe('enqueueLowBalanceMails', () => {
  const test = useDatabase({ forEachTest: true, checksBooks: true });
  const enqueue = () => enqueueLowBalanceMails(test.db, 5_000, 600);
  const mails = () => rows(test.db, 'SELECT workspace_id, kind, detail, sent_at FROM mails');

  it('a workspace below the limit gets a mail once a day', async () => {
    const { id } = await buildWorkspace(test.db, 5_500);
    assert.equal(await enqueue(), 0, 'nothing was spent');
    await buildQueued(test.db, id, { cost: 500 });
    assert.equal(await enqueue(), 0, 'at the limit is not below it');
    await buildQueued(test.db, id, { cost: 500 });
    assert.deepEqual([await enqueue(), await enqueue()], [1, 0]);
    assert.deepEqual(await mails(), [{ workspace_id: id, kind: 'low_balance', detail: { balance: 4_500 }, sent_at: null }]);
    await rows(test.db, `UPDATE mails SET created_at = now() - interval '25 hours'`);
    assert.equal(await enqueue(), 1);
  });

  it('a refund after the last spending does not suppress the mail', async () => {
    const { id } = await buildWorkspace(test.db, 5_500);
    const [failed] = [await buildQueued(test.db, id, { cost: 500 }), await buildQueued(test.db, id, { cost: 500 })];
    await buildQueued(test.db, id, { cost: 500 });
    await giveUpNow(test.db, failed.group_id);
    assert.equal(await enqueue(), 1);
    assert.deepEqual(await mails(), [{ workspace_id: id, kind: 'low_balance', detail: { balance: 4_500 }, sent_at: null }]);
  });

  it('a workspace whose payment was taken back gets a mail', async () => {
    const { id } = await buildWorkspace(test.db, 5_500);
    const posting = { reference: 'evt_1', amount: 1_000, description: 'Payment taken back' };
    await inTransaction(test.db, (transaction) => takeBack(test.db, transaction, id, posting));
    assert.equal(await enqueue(), 1);
  });

  it('a workspace that spent nothing recently or has more gets no mail', async () => {
    await buildWorkspace(test.db, 0);
    const [rich, idle] = [await buildWorkspace(test.db, 100_000), await buildWorkspace(test.db, 2_000)];
    for (const { id } of [rich, idle]) await buildQueued(test.db, id);
    await rows(test.db, `UPDATE workspaces SET updated_at = now() - interval '11 minutes' WHERE id = $1`, [idle.id]);
    assert.equal(await enqueue(), 0);
    assert.deepEqual(await mails(), []);
  });

  it('a workspace whose settings change after its last spending gets no mail', async () => {
    const { id } = await buildWorkspace(test.db, 2_000);
    await buildQueued(test.db, id);
    const makeOld = `UPDATE credit_entries SET created_at = now() - interval '11 minutes'`;
    for (const sql of ['DISABLE TRIGGER USER', makeOld, 'ENABLE TRIGGER USER'])
      await rows(test.db, sql === makeOld ? sql : `ALTER TABLE credit_entries ${sql}`);
    await endAllSessions(test.db, id, byTest);
    assert.equal(await enqueue(), 0);
  });

  it('a closed workspace, which has no address, gets no mail', async () => {
    const { id } = await buildWorkspace(test.db, 2_000);
    await buildQueued(test.db, id);
    await closeWorkspace(test.db, id, byTest);
    assert.equal(await enqueue(), 0);
  });
});
