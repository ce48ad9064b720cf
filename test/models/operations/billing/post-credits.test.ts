import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { credit, debit, type Payment, type Posting, refund, takeBack } from '../../../../models/operations/billing/post-credits.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildWorkspace } from '../../../support/rows/factories.js';
import { assertLedger } from '../../../../harness/checks/invariants.js';
import { untilLockWait } from '../../../support/lock-table.js';
import { balanceOf, ledgerOf } from '../../../support/rows/messages.js';

describe('debit and credit', () => {
  const test = useDatabase({ poolMax: 20 });
  // Debits here have no message: of the books only the ledger can be checked.
  afterEach(() => assertLedger(test.db));

  const postings = (...amounts: number[]): Payment[] =>
    amounts.map((amount) => ({ reference: uuidv7(), amount, description: `${amount}`, messages: amount / 100 }));
  const debited = (workspaceId: string, list: Payment[]) =>
    test.db.transaction(async (transaction) => (await debit(test.db, transaction, workspaceId, list)).paid);
  const refunded = (workspaceId: string, list: Posting[]) =>
    test.db.transaction((transaction) =>
      refund(
        test.db,
        transaction,
        workspaceId,
        list.map((posting) => ({ ...posting, debit: posting.reference })),
      ),
    );
  const messagesOf = async (workspaceId: string) =>
    (await rows<{ message_count: number }>(test.db, 'SELECT message_count FROM workspaces WHERE id = $1', [workspaceId]))[0]?.message_count;

  it('all postings are debited with an exact balance', async () => {
    const { id } = await buildWorkspace(test.db, 1_600);
    const list = postings(1_000, 500, 100);
    assert.deepEqual(
      await debited(id, list),
      list.map(({ reference }) => reference),
    );
    assert.deepEqual(await ledgerOf(test.db, id), ['grant 1600', 'debit -1000', 'debit -500', 'debit -100']);
    assert.equal(await messagesOf(id), 16);
  });

  it('a balance that is too low pays in order for the postings that fit', async () => {
    const { id } = await buildWorkspace(test.db, 1_600);
    const list = postings(1_000, 1_000, 500, 200, 100);
    const taken = await debited(id, list);
    assert.deepEqual(
      taken,
      [list[0], list[2], list[4]].map((posting) => posting?.reference),
    );
    assert.deepEqual([await balanceOf(test.db, id), await messagesOf(id)], [0, 16], 'and counts the messages of what it took');
  });

  it('a balance that is too low for every posting pays for none, without an entry', async () => {
    const { id } = await buildWorkspace(test.db, 99);
    assert.deepEqual(await debited(id, postings(100)), []);
    assert.deepEqual(await debited(id, postings(100, 500)), []);
    assert.deepEqual([await ledgerOf(test.db, id), await messagesOf(id)], [['grant 99'], 0]);
  });

  it('a refund gives nothing back to the limit of today for a debit of yesterday', async () => {
    const { id } = await buildWorkspace(test.db, 1_600);
    const list = postings(500);
    await debited(id, list);
    // As if midnight had passed after the transaction of the refund began.
    await rows(test.db, 'UPDATE workspaces SET spend_day = spend_day + 1, spent_today = 300 WHERE id = $1', [id]);
    await refunded(id, list);
    assert.deepEqual(await rows(test.db, 'SELECT spent_today FROM workspaces WHERE id = $1', [id]), [{ spent_today: 300 }]);
  });

  it('a balance is never overspent with 60 debits and refunds at once', async () => {
    const { id } = await buildWorkspace(test.db, 10_000);
    const work = Array.from({ length: 60 }, (_, index) =>
      index % 3 === 2 ? refunded(id, postings(500)) : debited(id, postings(700, 400)),
    );
    const taken = (await Promise.all(work)).flatMap((references) => references ?? []);
    const debits = (await ledgerOf(test.db, id)).filter((entry) => entry.startsWith('debit'));
    assert.equal(debits.length, taken.length);
    const spent = -debits.reduce((sum, entry) => sum + Number(entry.split(' ')[1]), 0);
    assert.equal(await messagesOf(id), spent / 100);
    assert.ok(((await balanceOf(test.db, id)) ?? -1) >= 0);
  });

  it('a cause is posted once, and a second refund of a message changes nothing', async () => {
    const { id } = await buildWorkspace(test.db, 1_000);
    const list = postings(300);
    await refunded(id, list);
    await assert.rejects(refunded(id, list), { name: 'SequelizeUniqueConstraintError' });
    const again = await Promise.allSettled(Array.from({ length: 5 }, () => refunded(id, [...postings(1), ...list])));
    assert.ok(again.every(({ status }) => status === 'rejected'));
    assert.equal(await balanceOf(test.db, id), 1_300);
  });

  describe('takeBack', () => {
    const taken = (workspaceId: string, amount: number, reference: string = uuidv7()) =>
      test.db.transaction((transaction) => takeBack(test.db, transaction, workspaceId, { reference, amount, description: 'taken back' }));
    const debtOf = async (workspaceId: string) =>
      (await rows<{ debt: number }>(test.db, 'SELECT debt FROM workspaces WHERE id = $1', [workspaceId]))[0]?.debt;

    it('credits above the balance are taken back as a debt, which later credits pay first', async () => {
      const { id } = await buildWorkspace(test.db, 1_000);
      await taken(id, 400);
      await taken(id, 900);
      assert.deepEqual([await balanceOf(test.db, id), await debtOf(id)], [0, 300]);
      await taken(id, 100);
      assert.deepEqual(await debtOf(id), 400);
      await refunded(id, postings(250));
      assert.deepEqual([await balanceOf(test.db, id), await debtOf(id)], [0, 150]);
      await refunded(id, postings(500, 100));
      assert.deepEqual([await balanceOf(test.db, id), await debtOf(id)], [450, 0]);
      const adjustments = (await ledgerOf(test.db, id)).filter((entry) => entry.startsWith('adjustment'));
      assert.deepEqual(adjustments, ['adjustment -400', 'adjustment -600', 'adjustment -250', 'adjustment -150']);
    });

    it('credits are taken back once for a cause', async () => {
      const { id } = await buildWorkspace(test.db, 1_000);
      await taken(id, 400, `cause:${id}`);
      await assert.rejects(taken(id, 400, `cause:${id}`), { name: 'SequelizeUniqueConstraintError' });
      assert.equal(await balanceOf(test.db, id), 600);
    });

    it('debits, refunds and debts at the same time lose no amount', async () => {
      const { id } = await buildWorkspace(test.db, 2_000);
      await Promise.all(Array.from({ length: 45 }, () => [taken(id, 300), refunded(id, postings(200)), debited(id, postings(100))]).flat());
      const debitedSum = -(await ledgerOf(test.db, id)).reduce(
        (sum, entry) => sum + (entry.startsWith('debit') ? Number(entry.split(' ')[1]) : 0),
        0,
      );
      const [balance, debt] = [(await balanceOf(test.db, id)) ?? 0, (await debtOf(id)) ?? 0];
      assert.equal(balance - debt, 2_000 + 45 * 200 - 45 * 300 - debitedSum);
      assert.ok(balance === 0 || debt === 0);
    });
  });

  it('an unknown workspace is neither debited nor refunded', async () => {
    await assert.rejects(refunded(uuidv7(), postings(300)), /is gone/);
    assert.deepEqual(await debited(uuidv7(), postings(300, 200)), []);
  });

  it('a debit that waits for credits is decided with them', async () => {
    const { id } = await buildWorkspace(test.db, 200);
    const posting = { kind: 'grant', reference: uuidv7(), amount: 100, description: 'x' } as const;
    for (const list of [postings(300), postings(100, 200)]) {
      const holder = await test.db.transaction();
      await credit(test.db, holder, id, { ...posting, reference: uuidv7() });
      const waiting = debited(id, list);
      await untilLockWait(test.db, 'the debit waits for the credits');
      await holder.commit();
      assert.deepEqual(
        await waiting,
        list.map(({ reference }) => reference),
      );
      await refunded(id, postings(200));
    }
  });

  it('a debit that is rolled back leaves nothing', async () => {
    const { id } = await buildWorkspace(test.db, 1_000);
    const failing = test.db.transaction(async (transaction) => {
      await debit(test.db, transaction, id, postings(300));
      throw new Error('power cut');
    });
    await assert.rejects(failing, /power cut/);
    assert.deepEqual(await ledgerOf(test.db, id), ['grant 1000']);
    assert.deepEqual([await balanceOf(test.db, id), await messagesOf(id)], [1_000, 0]);
  });

  it('the ledger stays append-only', async () => {
    const { id } = await buildWorkspace(test.db, 1_000);
    await assert.rejects(rows(test.db, 'UPDATE credit_entries SET amount = amount + 1 WHERE workspace_id = $1', [id]), /append-only/);
    await assert.rejects(rows(test.db, 'DELETE FROM credit_entries WHERE workspace_id = $1', [id]), /append-only/);
    await assert.rejects(rows(test.db, 'UPDATE workspaces SET balance = -1 WHERE id = $1', [id]), { name: 'SequelizeDatabaseError' });
    assert.deepEqual(await ledgerOf(test.db, id), ['grant 1000']);
  });
});
