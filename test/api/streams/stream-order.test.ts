import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Transaction } from '../../../models/db/database.js';
import { recordStatuses } from '../../../models/operations/messages/record-statuses.js';
import { until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { untilLockWait } from '../../support/lock-table.js';
import { buildQueued } from '../../support/rows/factories.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';
import { idsIn, received, send, useStreams } from './watch.js';

const markSent = (db: Database, transaction: Transaction, id: string) =>
  recordStatuses(db, transaction, { to: 'sent', changes: [{ id, status_detail: 'awaiting_report', at: new Date() }] });

describe('events whose transactions commit in another order than they began', () => {
  const app = useApi();
  const watch = useStreams(app);
  let account: Account;
  beforeEach(async () => {
    account = await app.account();
  });

  it('each event is shown once, to a viewer that stays and to one that resumes', async () => {
    const { db } = app.deps;
    const [slow, fast] = [await buildQueued(db, account.workspaceId), await buildQueued(db, account.workspaceId)];
    const [stays, leaves] = [await watch(account), await watch(account)];
    const transaction = await db.transaction();
    await markSent(db, transaction, slow.id); // has the lower number
    await db.transaction((other) => markSent(db, other, fast.id));
    await received(stays, 1);
    await received(leaves, 1);
    leaves.close();
    await transaction.commit();
    const back = await watch(account, leaves.lastEventId);
    const last = await send(app, account);
    await received(stays, 3);
    await received(back, 2);
    assert.deepEqual(idsIn(stays), [fast.id, slow.id, last]);
    assert.deepEqual(idsIn(back), [slow.id, last]);
    const numbers = await rows<{ message_id: string }>(db, `SELECT message_id FROM events WHERE type = 'message.sent' ORDER BY seq`);
    assert.deepEqual(
      numbers.map(({ message_id }) => message_id),
      [slow.id, fast.id],
      'the numbers have the other order',
    );
  });

  it('no event is lost when the first viewer comes between the status and its commit', async () => {
    const { db } = app.deps;
    const message = await buildQueued(db, account.workspaceId);
    const transaction = await db.transaction();
    await markSent(db, transaction, message.id); // nobody watches: no event is written
    let isOpen = false;
    const opening = watch(account).then((stream) => {
      isOpen = true;
      return stream;
    });
    await until(
      async () => (await rows(db, 'SELECT 1 FROM streamed_workspaces WHERE workspace_id = $1', [account.workspaceId])).length === 1,
      'the mark',
    );
    assert.equal(isOpen, false);
    await transaction.commit();
    const stream = await opening;
    const { body } = await app.call('GET', `/api/v1/messages/${message.id}`, { key: account.key });
    assert.equal(body.data.message.status, 'sent', 'what no event contained is read after the stream was opened');
    const next = await send(app, account);
    await received(stream, 1);
    assert.deepEqual(idsIn(stream), [next]);
  });

  it('no event is lost when the status is written before the first viewer is committed', async () => {
    const { db } = app.deps;
    const message = await buildQueued(db, account.workspaceId);
    const long = `VALUES ($1, now() - interval '3 hours', now() - interval '2 hours')`;
    await rows(db, `INSERT INTO streamed_workspaces (workspace_id, since, until) ${long}`, [account.workspaceId]);
    const lock = await db.transaction();
    await db.query('SELECT 1 FROM streamed_workspaces WHERE workspace_id = $1 FOR UPDATE', {
      bind: [account.workspaceId],
      transaction: lock,
    });
    const opening = watch(account);
    await untilLockWait(db, 'the mark waits');
    const transaction = await db.transaction();
    await markSent(db, transaction, message.id); // nobody watches: no event is written
    await db.query('SELECT 1', { transaction }); // until then PostgreSQL keeps the snapshot of a statement that returns rows
    await lock.commit();
    const first = await Promise.race([opening.then(() => 'the stream'), sleep(500).then(() => 'the status')]);
    await transaction.commit();
    assert.equal(first, 'the status', 'the stream begins after the status, which no event shows');
    await opening;
  });
});
