import assert from 'node:assert/strict';
import { decideMessages } from '../../../api/accept/decide-messages.js';
import { type Database, select, type Transaction } from '../../../models/db/database.js';
import { acceptMessages } from '../../../models/operations/messages/accept-messages.js';
import { fenceMessages } from '../../../models/operations/messages/fence-messages.js';
import { debit } from '../../../models/operations/billing/post-credits.js';
import { recordStatuses } from '../../../models/operations/messages/record-statuses.js';
import { toNamed } from '../../support/bulk-requests.js';
import { until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { buildGroup, messageOf } from '../../support/rows/messages.js';
import { useApi } from '../use-api.js';
import { deadlineExceeded } from './use-acceptance.js';
import { prices } from '../../support/prices.js';

const silence = deadlineExceeded();
const send = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } };

/** The workflow answers nothing, but holds the rows and charges them later; meanwhile the API loses its connection to the database. */
describe('a send whose workflow charges after the API stopped waiting', () => {
  const app = useApi({ forEachTest: true, checksBooks: true });
  let key: string;
  let workspaceId: string;
  let worker: Transaction;
  let db: Database;
  beforeEach(async () => {
    ({ db } = app.deps);
    ({ key, workspaceId } = await app.account());
    worker = await db.transaction();
  });

  const waiting = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`;
  const isWaiting = async () => (await rows(db, waiting)).length > 0;

  /** Cuts the connection that waits for the worker's lock, and waits until the API asks again. */
  const cutConnection = async () => {
    await until(isWaiting, 'the API asks what was decided');
    const cut = await rows<{ pid: number }>(db, `SELECT pid, pg_terminate_backend(pid) FROM (${waiting}) AS waits`);
    const asksAgain = async () => {
      const pids = (await rows<{ pid: number }>(db, waiting)).map(({ pid }) => pid);
      return pids.some((pid) => cut.every((each) => each.pid !== pid));
    };
    await until(asksAgain, 'the API asks again');
  };
  const debits = async () => (await rows(db, `SELECT 1 FROM credit_entries WHERE kind = 'debit'`)).length;

  const lateMessage = async () => {
    let id = '';
    app.deps.temporal.accept = async ({ groupId, messages }) => {
      await select(db, 'SELECT 1 FROM messages WHERE group_id = $1 FOR UPDATE', [groupId], worker);
      id = messages[0]?.messageId ?? '';
      throw silence;
    };
    const answering = app.call('POST', '/api/v1/messages/send', { key, body: send });
    await cutConnection();
    return { id, answering };
  };

  it('201 for a message that its workflow charged after the API stopped waiting', async () => {
    const { id, answering } = await lateMessage();
    await debit(db, worker, workspaceId, [{ reference: id, amount: prices.sms, description: '1 sms message', messages: 1 }]);
    await recordStatuses(db, worker, { to: 'queued', changes: [{ id, status_detail: 'accepted', at: new Date() }] });
    await worker.commit();
    const { status, body } = await answering;
    assert.deepEqual([status, body.data?.message.id, await debits()], [201, id, 1]);
  });

  it('500 for a message that was not charged after the API stopped waiting, and nothing of it remains', async () => {
    const { id, answering } = await lateMessage();
    await worker.rollback();
    assert.equal((await answering).status, 500);
    assert.deepEqual([await rows(db, 'SELECT 1 FROM messages WHERE id = $1', [id]), await debits()], [[], 0]);
  });

  const lateBatch = async () => {
    let id = '';
    app.deps.temporal.acceptBatch = async ({ batchId }) => {
      await select(db, 'SELECT 1 FROM batches WHERE id = $1 FOR UPDATE', [batchId], worker);
      id = batchId;
      throw silence;
    };
    const answering = app.call('POST', '/api/v1/messages/bulk', { key, body: toNamed });
    await cutConnection();
    return { id, answering };
  };

  it('201 for a batch that its workflow charged after the API stopped waiting', async () => {
    const { id, answering } = await lateBatch();
    await select(db, `UPDATE batches SET status = 'sending' WHERE id = $1`, [id], worker);
    await select(db, `UPDATE messages SET status = 'queued', credits_used = cost WHERE batch_id = $1`, [id], worker);
    const [{ cost, accepted } = { cost: 0, accepted: 0 }] = await select<{ cost: number; accepted: number }>(
      db,
      'SELECT cost, accepted FROM batches WHERE id = $1',
      [id],
      worker,
    );
    await debit(db, worker, workspaceId, [{ reference: id, amount: cost, description: 'Bulk', messages: accepted }]);
    await worker.commit();
    const { status } = await answering;
    assert.deepEqual([status, await debits()], [201, 1]);
  });

  it('500 for a batch that was not charged after the API stopped waiting, and nothing of it remains', async () => {
    const { id, answering } = await lateBatch();
    await worker.rollback();
    assert.equal((await answering).status, 500);
    assert.deepEqual([await rows(db, 'SELECT 1 FROM batches WHERE id = $1', [id]), await debits()], [[], 0]);
  });

  it('a message stays accepted when the balance of a refused one cannot be read', async () => {
    await worker.rollback();
    const { groupId, ids } = await buildGroup(db, workspaceId, [{}, {}]);
    const [accepted = '', refused = ''] = ids;
    const undecided = await Promise.all(ids.map((id) => messageOf(db, id)));
    app.deps.temporal.accept = async () => {
      await fenceMessages(db, [refused]);
      const answer = await acceptMessages(db, groupId);
      await rows(db, 'ALTER TABLE workspaces RENAME TO workspaces_away');
      return answer;
    };
    const decisions = await decideMessages(app.deps, undecided);
    await rows(db, 'ALTER TABLE workspaces_away RENAME TO workspaces');
    assert.deepEqual([decisions.get(accepted), decisions.get(refused)?.code], [null, 'internal_error']);
  });
});
