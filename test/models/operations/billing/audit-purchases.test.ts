import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { auditNow } from '../../../../models/operations/billing/audit-books.js';
import { auditLedger } from '../../../../models/operations/billing/audit-ledgers.js';
import { grantCredits } from '../../../../models/operations/billing/grant-credits.js';
import { insertOrder } from '../../../../models/operations/billing/open-order.js';
import { recordPaymentEvent } from '../../../../models/operations/billing/record-payment-event.js';
import { takeCredits } from '../../../../models/operations/billing/take-credits.js';
import type { PaymentChange } from '../../../../models/rules/billing/payment-event.js';
import { CreditPackage } from '../../../../models/tables/credit-package.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildQueued, buildWorkspace } from '../../../support/rows/factories.js';

describe('the audit of purchases', () => {
  const test = useDatabase({ forEachTest: true });
  let workspaceId: string;
  /** A paid order of which a part is taken back, and one that waits for its payment. */
  let orders: { paid: string; open: string };

  const order = async () => {
    const [creditPackage] = await CreditPackage.forSale();
    const id = uuidv7();
    assert.ok(creditPackage);
    await insertOrder(test.db, { id, workspaceId, creditPackage, idempotencyKey: null, digest: null });
    return id;
  };
  const event = (change: PaymentChange) =>
    recordPaymentEvent(test.db, { provider: 'stripe', id: `evt_${randomUUID()}`, type: 'x', isLive: false, raw: '', change });
  const pay = (orderId: string) =>
    event({
      kind: 'session',
      sessionId: `cs_${orderId}`,
      orderId,
      paymentId: `pi_${orderId}`,
      amountCents: 500,
      currency: 'usd',
      state: 'paid',
    });
  const refund = (orderId: string, cents: number) => {
    const at = new Date(cents * 1_000);
    const charge = { cause: `ch_${orderId}`, paymentId: `pi_${orderId}`, currency: 'usd', isDecided: false };
    return event({ kind: 'refund', ...charge, beforeCents: null, amountCents: cents, chargeCents: null, at });
  };
  const dispute = (orderId: string, amountCents: number) => {
    const reversal = { cause: `dp_${orderId}`, paymentId: `pi_${orderId}`, beforeCents: null, currency: 'usd', isDecided: false, at: null };
    return event({ kind: 'dispute', ...reversal, amountCents, chargeCents: null });
  };
  const audit = async () => {
    const found: string[] = [];
    await auditNow(test.db, ({ what, id }) => found.push(`${what} ${id}`));
    return found;
  };
  /** What the trigger forbids, and a superuser can do. */
  const tamper = async (sql: string, bind: string[] = []) => {
    await rows(test.db, 'ALTER TABLE credit_entries DISABLE TRIGGER USER');
    await rows(test.db, sql, bind);
    await rows(test.db, 'ALTER TABLE credit_entries ENABLE TRIGGER USER');
  };

  beforeEach(async () => {
    workspaceId = (await buildWorkspace(test.db, 0)).id;
    orders = { paid: await order(), open: await order() };
    await pay(orders.paid);
    await refund(orders.paid, 100);
  });

  it('the audit of purchases finds nothing in correct books, whatever was refunded, restored and paid as debt', async () => {
    assert.deepEqual(await audit(), []);
    await buildQueued(test.db, workspaceId, { cost: 70_000 });
    await dispute(orders.paid, 400);
    assert.deepEqual(await rows(test.db, 'SELECT balance, debt FROM workspaces WHERE id = $1', [workspaceId]), [
      { balance: 0, debt: 70_000 },
    ]);
    assert.deepEqual(await audit(), [], 'with a debt');
    await grantCredits(test.db, { id: workspaceId, name: 'x' }, { amount: 30_000, reason: 'Payment restored: x' });
    assert.deepEqual(await audit(), [], 'with a part of it paid');
    await dispute(orders.paid, 0);
    await refund(orders.paid, 200);
    assert.deepEqual(await audit(), []);
    await pay(orders.open);
    await refund(orders.open, 500);
    assert.deepEqual(await audit(), []);
  });

  it('the audit of purchases accepts what an operator took, with an open, partly or fully paid debt', async () => {
    const workspace = { id: workspaceId, name: 'x' };
    await takeCredits(test.db, workspace, { amount: 30_000, reason: 'Payment taken back: x' });
    assert.deepEqual(await audit(), [], 'without a debt');
    assert.deepEqual((await takeCredits(test.db, workspace, { amount: 70_000, reason: 'x' })).debt, 20_000);
    assert.deepEqual((await takeCredits(test.db, workspace, { amount: 5_000, reason: 'x' })).debt, 25_000);
    assert.deepEqual(await audit(), [], 'with a debt');
    await grantCredits(test.db, workspace, { amount: 10_000, reason: 'x' });
    assert.deepEqual(await audit(), [], 'with a part of it paid');
    await pay(orders.open);
    assert.deepEqual(await audit(), []);
  });

  it('an audit that a former version continued does not compare what was taken back', async () => {
    const reached = { workspace: workspaceId, after: 2, sum: 80_000, reversals: { sum: 0, after: 0 }, isOver: false };
    assert.deepEqual((await auditLedger(test.db, reached))?.differences, []);
    const own = { ...reached, reversals: { sum: 0, after: 2 } };
    assert.equal((await auditLedger(test.db, own))?.differences.length, 1, 'else it does');
  });

  it('the audit of purchases finds nothing wrong while payments are made and taken back', async () => {
    let isOver = false;
    const paying = (async () => {
      while (!isOver) {
        const id = await order();
        await Promise.all([pay(id), refund(id, 300)]);
        await dispute(id, 100);
        await dispute(id, 0);
      }
    })();
    for (let count = 0; count < 5; count += 1) assert.deepEqual(await audit(), []);
    isOver = true;
    await paying;
    assert.deepEqual(await audit(), []);
  });

  const purchase = `kind = 'purchase' AND reference = $1`;
  const planted: [what: string, plant: () => Promise<unknown>, found: () => string[]][] = [
    [
      'a purchase of an order that is not paid',
      () => rows(test.db, `UPDATE credit_orders SET status = 'open', payment_id = NULL, reversed = 0 WHERE id = $1`, [orders.paid]),
      () => [`credits taken back ${workspaceId}`, `credits of an order ${orders.paid}`],
    ],
    [
      'a paid order without its purchase',
      () =>
        rows(test.db, `UPDATE credit_orders SET status = 'paid', payment_id = 'pi_x', session_id = 'cs_x' WHERE id = $1`, [orders.open]),
      () => [`credits of an order ${orders.open}`],
    ],
    [
      'a paid order with other credits',
      () => rows(test.db, 'UPDATE credit_orders SET credits = credits + 1 WHERE id = $1', [orders.paid]),
      () => [`credits of an order ${orders.paid}`],
    ],
    [
      'more taken back of an order than the ledger says',
      () => rows(test.db, 'UPDATE credit_orders SET reversed = reversed + 1 WHERE id = $1', [orders.paid]),
      () => [`credits taken back ${workspaceId}`],
    ],
    [
      'a debt from nowhere',
      () => rows(test.db, 'UPDATE workspaces SET debt = 5 WHERE id = $1', [workspaceId]),
      () => [`credits taken back ${workspaceId}`],
    ],
  ];
  for (const [what, plant, found] of planted)
    it(`the audit of the books finds ${what}`, async () => {
      await plant();
      assert.deepEqual(await audit(), found());
    });

  it('the audit of the books finds a purchase without an order', async () => {
    const other = uuidv7();
    await tamper(`UPDATE credit_entries SET reference = '${other}' WHERE ${purchase}`, [orders.paid]);
    const [entry] = await rows<{ id: string }>(test.db, `SELECT id FROM credit_entries WHERE ${purchase}`, [other]);
    assert.deepEqual(await audit(), [`credits of an order ${orders.paid}`, `ledger entry without its cause ${entry?.id}`]);
  });
});
