import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { CreditEntry } from '../../../../models/tables/credit-entry.js';
import { migrate } from '../../../../models/migrate.js';
import { checkLedgers } from '../../../../models/operations/billing/check-ledgers.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildQueued, buildWorkspace } from '../../../support/rows/factories.js';

describe('checkLedgers', () => {
  // Whatever a test does to the books, it undoes.
  const test = useDatabase({ poolMax: 1, forEachTest: true, checksBooks: true });
  let workspaceId: string;
  beforeEach(async () => {
    workspaceId = (await buildWorkspace(test.db)).id;
  });

  const drift = () => checkLedgers(test.db);
  const drifted = (balance: number, ledger: number) => [{ workspace_id: workspaceId, balance, ledger }];
  const moveBalance = (amount: number) =>
    rows(test.db, 'UPDATE workspaces SET balance = balance + $2 WHERE id = $1', [workspaceId, amount]);
  /** What the trigger forbids, and a superuser can do. */
  const tamper = async (sql: string) => {
    await rows(test.db, 'ALTER TABLE credit_entries DISABLE TRIGGER credit_entries_append_only');
    await rows(test.db, sql);
    await rows(test.db, 'ALTER TABLE credit_entries ENABLE TRIGGER credit_entries_append_only');
    await rows(test.db, 'UPDATE workspaces SET spend_day = NULL'); // of a day that is not in the entries any more
  };
  const olden = () => tamper(`UPDATE credit_entries SET created_at = now() - interval '2 days'`);
  /** The entry that was posted while the balance was one too low. */
  const mendEntry = () => tamper('UPDATE credit_entries SET balance_after = balance_after + 1 WHERE number = 2');
  /** One entry that is old, two that are not: 100, 99 and 98 credits. */
  const buildEntries = async () => {
    await olden();
    await buildQueued(test.db, workspaceId);
    await buildQueued(test.db, workspaceId);
  };

  it('a workspace whose balance differs from its ledger is named until it is corrected', async () => {
    assert.deepEqual(await drift(), []);
    await moveBalance(-1);
    assert.deepEqual(await drift(), drifted(99_999, 100_000));
    await rows(test.db, `UPDATE workspaces SET updated_at = now() - interval '2 days'`);
    await olden();
    await buildQueued(test.db, workspaceId);
    for (const _ of [1, 2, 3]) assert.deepEqual(await drift(), drifted(98_999, 99_000), 'later entries do not hide it');
    await moveBalance(1);
    assert.deepEqual(await drift(), []);
    await mendEntry();
  });

  it('a changed entry since the last check is found, after any time', async () => {
    await buildQueued(test.db, workspaceId);
    assert.deepEqual(await drift(), []);
    await buildQueued(test.db, workspaceId);
    await tamper('UPDATE credit_entries SET amount = amount - 500 WHERE number = 3');
    await tamper(`UPDATE credit_entries SET created_at = now() - interval '9 days'`);
    await rows(test.db, `UPDATE workspaces SET updated_at = now() - interval '9 days'`);
    assert.deepEqual(await drift(), drifted(98_000, 97_500));
    await tamper('UPDATE credit_entries SET amount = amount + 500 WHERE number = 3');
  });

  it('a wrong balance is found in a workspace with only old entries or none', async () => {
    await olden();
    const { id } = await buildWorkspace(test.db, 0);
    assert.deepEqual(await drift(), []);
    await rows(test.db, 'UPDATE workspaces SET balance = balance + 5');
    const byBalance = (await drift()).toSorted((one, other) => one.balance - other.balance);
    assert.deepEqual(byBalance, [{ workspace_id: id, balance: 5, ledger: 0 }, ...drifted(100_005, 100_000)]);
    await rows(test.db, 'UPDATE workspaces SET balance = balance - 5');
  });

  for (const number of [2, 3])
    it(`a balance differs when the recent entry number ${number} is changed or deleted`, async () => {
      await buildEntries();
      await tamper(`UPDATE credit_entries SET amount = amount - 500 WHERE number = ${number}`);
      assert.deepEqual(await drift(), drifted(98_000, 97_500));
      await tamper(`UPDATE credit_entries SET amount = amount + 500 WHERE number = ${number}`);
      await rows(test.db, `CREATE TEMP TABLE kept AS SELECT * FROM credit_entries WHERE number = ${number}`);
      await tamper(`DELETE FROM credit_entries WHERE number = ${number}`);
      assert.deepEqual(await drift(), drifted(98_000, 99_000));
      await rows(test.db, 'INSERT INTO credit_entries SELECT * FROM kept');
    });

  it('a balance is compared by the numbers of entries, not by their ids and times', async () => {
    await buildEntries();
    await tamper(`UPDATE credit_entries SET created_at = now() - number * interval '2 days'`);
    assert.deepEqual(await drift(), [], 'the last entry began first');
    await tamper(`UPDATE credit_entries SET created_at = now() - interval '1 hour' WHERE number = 2`);
    await rows(test.db, 'DELETE FROM ledger_marks');
    assert.deepEqual(await drift(), []);
    await moveBalance(1);
    assert.deepEqual(await drift(), drifted(98_001, 98_000));
    await moveBalance(-1);
  });

  it('an entry that is posted by hand is numbered, before or after the balance is moved', async () => {
    const post = (balanceAfter: number) =>
      rows(
        test.db,
        `INSERT INTO credit_entries (id, workspace_id, kind, amount, balance_after, reference, description)
         VALUES ($1, $2, 'adjustment', 700, $3, 'by hand: ' || $3::bigint, 'goodwill') RETURNING number`,
        [uuidv7(), workspaceId, balanceAfter],
      );
    assert.deepEqual(await post(100_700), [{ number: 2 }]);
    await moveBalance(700);
    await moveBalance(700);
    assert.deepEqual(await post(101_400), [{ number: 3 }]);
    assert.deepEqual(await drift(), []);
    await buildQueued(test.db, workspaceId);
    assert.deepEqual(await drift(), []);
  });

  it('only recent entries of a long ledger are read', async () => {
    const history = 20_000;
    await rows(
      test.db,
      `INSERT INTO credit_entries (id, workspace_id, number, kind, amount, balance_after, reference, description, created_at)
       SELECT gen_random_uuid(), $1, 1 + i, 'grant', 1, 100000 + i, 'old:' || i, '', now() - interval '2 days' FROM generate_series(1, $2::int) i`,
      [workspaceId, history],
    );
    await rows(test.db, 'UPDATE workspaces SET balance = balance + $1, entry_count = entry_count + $1', [history]);
    for (const since of ['the newest of the day before', 'the last comparison']) {
      await buildQueued(test.db, workspaceId);
      const before = await entriesRead();
      assert.deepEqual(await drift(), []);
      const read = (await entriesRead()) - before;
      assert.ok(read > 0 && read < 10, `${read} entries were read, from ${since}`);
    }
  });

  const entriesRead = async () => {
    await rows(test.db, 'SELECT pg_stat_force_next_flush()');
    const sql = `SELECT idx_tup_fetch + seq_tup_read AS count FROM pg_stat_user_tables WHERE relname = 'credit_entries'`;
    const [read] = await rows<{ count: number }>(test.db, sql);
    return read?.count ?? 0;
  };

  it('entries are numbered from the migration on, which keeps the balance before as the opening balance', async () => {
    await buildQueued(test.db, workspaceId);
    await rows(test.db, 'DELETE FROM ledger_marks');
    await rows(test.db, 'DROP FUNCTION number_ledger_entry CASCADE');
    await rows(test.db, 'ALTER TABLE credit_entries DROP COLUMN number');
    await rows(test.db, 'CREATE INDEX credit_entries_workspace ON credit_entries (workspace_id, id DESC)');
    await rows(test.db, 'ALTER TABLE workspaces DROP COLUMN entry_count, DROP COLUMN opening_balance');
    const migration = '0017-entry-numbers.sql';
    await rows(test.db, 'DELETE FROM schema_migrations WHERE name = $1', [migration]);
    assert.deepEqual(await migrate(test.db), [migration]);
    assert.deepEqual(await drift(), []);
    await moveBalance(1);
    assert.deepEqual(await drift(), drifted(99_001, 99_000));
    await moveBalance(-1);
    await buildQueued(test.db, workspaceId);
    assert.deepEqual(await drift(), []);
    const page = await CreditEntry.pageOf(workspaceId, { page: 1, limit: 10 });
    const listed = page.rows.map(({ number, balance_after }) => [number, balance_after]);
    assert.deepEqual(listed, [
      [1, 98_000],
      [null, 99_000],
      [null, 100_000],
    ]);
  });
});
