import assert from 'node:assert/strict';
import { afterCommit, inTransaction, select, type Transaction } from '../../../models/db/database.js';
import { processMetrics } from '../../../models/metrics/catalogue.js';
import { Workspace } from '../../../models/tables/workspace.js';
import { useDatabase } from '../../support/for-each.js';

describe('the end of a transaction', () => {
  const test = useDatabase({ poolMax: 1 });

  /** The process of the server for the only connection of the pool. */
  const server = async (transaction?: Transaction) =>
    (await select<{ pid: number }>(test.db, 'SELECT pg_backend_pid() AS pid', [], transaction))[0]?.pid;

  it('a connection is closed when a COMMIT on it fails, and kept when the work of a transaction fails', async () => {
    await select(test.db, 'CREATE TABLE numbers (number int UNIQUE DEFERRABLE INITIALLY DEFERRED)');
    const first = await server();
    await assert.rejects(
      inTransaction(test.db, (transaction) => select(test.db, 'SELECT 1 / 0', [], transaction)),
      /division by zero/,
    );
    assert.equal(await server(), first);
    const twice = (transaction: Transaction) => select(test.db, 'INSERT INTO numbers VALUES (1), (1)', [], transaction);
    await assert.rejects(inTransaction(test.db, twice), /unique|Validation/);
    assert.notEqual(await server(), first);
    assert.deepEqual(await select(test.db, 'SELECT * FROM numbers'), []);
  });

  it('a model refuses a transaction that has ended', async () => {
    const kept = await inTransaction(test.db, async (transaction) => transaction);
    await assert.rejects(Workspace.findOne({ transaction: kept }), /commit has been called on this transaction/);
  });

  it('BEGIN and COMMIT do not count as statements', async () => {
    const counted = async () =>
      (await processMetrics.statementSeconds.get()).values.find(({ metricName = '' }) => metricName.endsWith('_count'))?.value ?? 0;
    const before = await counted();
    await inTransaction(test.db, server);
    assert.equal((await counted()) - before, 1);
  });
});

describe('steps after a commit', () => {
  const test = useDatabase();

  it('steps after a commit run after the COMMIT, and not when it fails', async () => {
    await select(test.db, 'CREATE TABLE parents (id int PRIMARY KEY)');
    await select(test.db, 'CREATE TABLE children (parent_id int REFERENCES parents DEFERRABLE INITIALLY DEFERRED)');
    await select(test.db, 'INSERT INTO parents VALUES (1)');
    const done: number[] = [];
    const addChild = (parentId: number) =>
      inTransaction(test.db, async (transaction) => {
        afterCommit(transaction, () => done.push(parentId));
        await select(test.db, 'INSERT INTO children VALUES ($1)', [parentId], transaction);
        assert.deepEqual(done, []);
      });
    await assert.rejects(addChild(2), /foreign key/);
    await addChild(1);
    assert.deepEqual(done, [1]);
  });
});
