import assert from 'node:assert/strict';
import { acknowledgeDrift } from '../../../../models/operations/billing/acknowledge-drift.js';
import { auditBooks, auditNow } from '../../../../models/operations/billing/audit-books.js';
import { checkLedgers } from '../../../../models/operations/billing/check-ledgers.js';
import { Workspace } from '../../../../models/tables/workspace.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { runAdmin } from '../../../support/run-admin.js';
import { buildQueued, buildWorkspace } from '../../../support/rows/factories.js';

describe('acknowledgeDrift', () => {
  const test = useDatabase({ forEachTest: true });
  let id: string;
  beforeEach(async () => {
    id = (await buildWorkspace(test.db)).id;
  });

  const acknowledge = async () => acknowledgeDrift(test.db, await Workspace.findByPk(id, { rejectOnEmpty: true }));
  const moveBalance = (amount: number) => rows(test.db, 'UPDATE workspaces SET balance = balance + $2 WHERE id = $1', [id, amount]);
  const audit = async () => {
    const found: string[] = [];
    await auditNow(test.db, ({ what, detail }) => found.push(`${what} ${JSON.stringify(detail)}`));
    return found;
  };
  const drift = async () => (await checkLedgers(test.db)).map(({ balance, ledger }) => balance - ledger);
  const entries = async (from: number) => {
    const sql = 'SELECT number, kind, amount, balance_after FROM credit_entries WHERE workspace_id = $1 AND number >= $2 ORDER BY number';
    const found = await rows<{ number: number; kind: string; amount: number; balance_after: number }>(test.db, sql, [id, from]);
    return found.map((entry) => `${entry.number} ${entry.kind} ${entry.amount} ${entry.balance_after}`);
  };
  const tamper = async (sql: string) => {
    await rows(test.db, 'ALTER TABLE credit_entries DISABLE TRIGGER USER');
    await rows(test.db, sql);
    await rows(test.db, 'ALTER TABLE credit_entries ENABLE TRIGGER USER');
  };

  it('an acknowledged difference is posted to the ledger, leaves the balance, and is reported no more', async () => {
    await moveBalance(-7_000);
    await buildQueued(test.db, id);
    assert.deepEqual(await drift(), [-7_000]);
    assert.deepEqual(await audit(), ['ledger entry {"number":2}', 'balance {"balance":92000,"entry_count":2,"ledger":99000,"entries":2}']);

    assert.equal(await acknowledge(), -7_000);

    assert.deepEqual([await drift(), await audit()], [[], []]);
    assert.deepEqual(await entries(2), ['2 debit -1000 92000', '3 adjustment -7000 92000']);
    const sql = `SELECT actor_name, changes FROM audit_events WHERE workspace_id = $1 AND type = 'billing.ledger_corrected'`;
    assert.deepEqual(await rows(test.db, sql, [id]), [{ actor_name: 'operator', changes: { credits: -7 } }]);
    assert.equal(await acknowledge(), 0);
    assert.deepEqual(await entries(4), [], 'a second call posts nothing');
  });

  it('a difference in an earlier piece of a long ledger is acknowledged', async () => {
    await moveBalance(5_000_000);
    await buildQueued(test.db, id);
    const count = 5_000;
    await rows(
      test.db,
      `INSERT INTO credit_entries (id, workspace_id, number, kind, amount, balance_after, reference, description)
       SELECT gen_random_uuid(), $1, 2 + i, 'grant', 1, 5099000 + i, 'old:' || i, '' FROM generate_series(1, $2::int) i`,
      [id, count],
    );
    await rows(test.db, 'UPDATE workspaces SET balance = balance + $1, entry_count = entry_count + $1', [count]);
    assert.deepEqual((await audit())[0], 'ledger entry {"number":2}');
    assert.equal(await acknowledge(), 5_000_000);
    assert.deepEqual(await audit(), []);
  });

  it('an acknowledged difference hides no later one', async () => {
    await moveBalance(-7_000);
    await acknowledge();
    await buildQueued(test.db, id);
    await moveBalance(2);
    await buildQueued(test.db, id);
    assert.deepEqual(await drift(), [2]);
    assert.deepEqual(await audit(), ['ledger entry {"number":4}', 'balance {"balance":91002,"entry_count":4,"ledger":91000,"entries":4}']);
  });

  it('an acknowledged difference hides no earlier entry that is changed or deleted later', async () => {
    await buildQueued(test.db, id);
    await moveBalance(-7_000);
    await acknowledge();
    await tamper('UPDATE credit_entries SET amount = amount - 500 WHERE number = 2');
    assert.equal((await audit())[0], 'ledger entry {"number":2}');
    await tamper('UPDATE credit_entries SET amount = amount + 500 WHERE number = 2');
    await tamper('DELETE FROM credit_entries WHERE number = 2');
    assert.equal((await audit())[0], 'ledger entry {"number":3}');
  });

  it('entries that were posted to a wrong balance are acknowledged after it was corrected by hand', async () => {
    await moveBalance(-7_000);
    await buildQueued(test.db, id);
    await moveBalance(7_000);
    assert.deepEqual(await audit(), ['ledger entry {"number":2}']);
    assert.equal(await acknowledge(), 0);
    assert.deepEqual([await drift(), await audit()], [[], []]);
    assert.deepEqual(await entries(3), ['3 adjustment 1 99001', '4 adjustment -1 99000']);
  });

  it('an audit by an operator replaces the number of differences of the daily one, which the alert reads', async () => {
    await moveBalance(-7_000);
    await auditBooks(test.db, Date.now() + 10_000, () => undefined);
    const counted = () => rows(test.db, 'SELECT differences, ended_at IS NOT NULL AS ended FROM audits');
    assert.deepEqual(await counted(), [{ differences: 1, ended: true }]);
    await acknowledge();
    await runAdmin({ db: test.db }, 'audit');
    assert.deepEqual(await counted(), [{ differences: 0, ended: true }]);
  });
});
