import assert from 'node:assert/strict';
import { takeBack } from '../../../models/operations/billing/post-credits.js';
import { rows } from '../../support/database.js';
import { type Purchase, shopForEach } from './shop.js';
import { permutations } from '../../support/measure/permutations.js';

describe('refunds and disputes', () => {
  const shop = shopForEach();
  const debt = async () =>
    (await rows<{ debt: number }>(shop.app.deps.db, 'SELECT debt FROM workspaces WHERE id = $1', [shop.buyer.workspaceId]))[0]?.debt;

  it('a refund takes credits back in proportion, once and in any order', async () => {
    const { session, refund } = await shop.buy();
    await shop.send(session());
    await shop.send(refund(200));
    await shop.send(refund(100));
    await shop.send(refund(200));
    assert.deepEqual(await shop.ledger(), ['purchase 100000', 'adjustment -40000']);
    await shop.send(refund(500));
    assert.equal(await shop.balance(), 0);
    assert.deepEqual(await shop.outcomes(), ['credited', 'reversed', 'repeated', 'repeated', 'reversed']);
  });

  it('a refund that arrives before its payment counts', async () => {
    const { session, refund } = await shop.buy();
    await shop.send(refund(125));
    await shop.send(session());
    assert.deepEqual(await shop.ledger(), ['purchase 100000', 'adjustment -25000']);
  });

  it('refunds that arrive at once add up', async () => {
    for (let round = 1; round <= 5; round += 1) {
      const { session, refund, dispute } = await shop.buy(`pi_${round}`);
      await Promise.all(
        [session(), refund(100), refund(250), dispute('created', 'needs_response'), session('async_payment_succeeded')].map(shop.send),
      );
    }
    assert.equal(await shop.balance(), 0);
    const sums = await rows(shop.app.deps.db, 'SELECT reversed FROM credit_orders WHERE reversed <> credits');
    assert.deepEqual(sums, [], 'never more than was paid');
  });

  it('a refund of spent credits leaves a debt, which later credits pay first', async () => {
    const { session, refund } = await shop.buy('pi_1');
    await shop.send(session());
    const spent = { reference: 'spent', amount: 70_000, description: 'spent' };
    await shop.app.deps.db.transaction((transaction) => takeBack(shop.app.deps.db, transaction, shop.buyer.workspaceId, spent));
    await shop.send(refund(500));
    assert.deepEqual([await shop.balance(), await debt()], [0, 70_000]);
    const next = await shop.buy('pi_2');
    await shop.send(next.session());
    assert.deepEqual([await shop.balance(), await debt()], [30_000, 0]);
    assert.deepEqual((await shop.ledger()).slice(-3), ['adjustment -30000', 'purchase 100000', 'adjustment -70000']);
  });

  it('a won dispute returns the credits, in any order of events', async () => {
    const [one, other] = [await shop.buy('pi_1'), await shop.buy('pi_2')];
    await shop.send(one.session());
    await shop.send(one.dispute('created', 'needs_response'));
    await shop.send(one.dispute('funds_withdrawn', 'needs_response'));
    assert.equal(await shop.balance(), 0);
    await shop.send(one.dispute('closed', 'won'));
    assert.equal(await shop.balance(), 100_000);
    await shop.send(other.dispute('closed', 'won'));
    await shop.send(other.dispute('created', 'needs_response'));
    await shop.send(other.session());
    await shop.send(other.dispute('created', 'warning_needs_response'));
    assert.equal(await shop.balance(), 200_000);
  });

  it('a warning that arrives after the dispute it became returns nothing', async () => {
    const { session, dispute } = await shop.buy();
    for (const event of [session(), dispute('updated', 'needs_response', 20), dispute('created', 'warning_needs_response', 10)])
      await shop.send(event);
    assert.equal(await shop.balance(), 0);
  });

  it('a lost dispute that is won later returns the credits, and a won one that is lost later takes them back', async () => {
    const [one, other] = [await shop.buy('pi_1'), await shop.buy('pi_2')];
    for (const event of [one.session(), one.dispute('created', 'needs_response', 10), one.dispute('closed', 'lost', 20)])
      await shop.send(event);
    assert.equal(await shop.balance(), 0);
    await shop.send(one.dispute('funds_reinstated', 'won', 30));
    assert.deepEqual(await shop.ledger(), ['purchase 100000', 'adjustment -100000', 'adjustment 100000']);
    for (const event of [other.session(), other.dispute('closed', 'won', 20), other.dispute('funds_withdrawn', 'lost', 30)])
      await shop.send(event);
    assert.equal(await shop.balance(), 100_000);
    await shop.send(other.dispute('closed', 'won', 20));
    assert.equal(await shop.balance(), 100_000, 'an older decision changes nothing');
    await shop.send(one.dispute('updated', 'under_review', 40));
    assert.equal(await shop.balance(), 0, 'a dispute that is opened again takes the money');
  });

  it('a decision counts before what else a dispute was in the same second, in any order of events', async () => {
    const states: Parameters<Purchase['dispute']>[] = [
      ['created', 'needs_response', 10],
      ['closed', 'lost', 20],
      ['updated', 'under_review', 30],
      ['funds_reinstated', 'won', 30],
    ];
    const orders = permutations(states);
    for (const [index, order] of orders.entries()) {
      const { session, dispute } = await shop.buy(`pi_${index}`);
      for (const state of order) await shop.send(dispute(...state));
      await shop.send(session());
      assert.equal(await shop.balance(), (index + 1) * 100_000, order.join('; '));
    }
  });

  it('a late win returns the credits of a dispute whose loss a former version noted without a time', async () => {
    const { session, dispute } = await shop.buy();
    await shop.send(session());
    await shop.send(dispute('closed', 'lost', 10));
    await rows(shop.app.deps.db, 'UPDATE payment_reversals SET as_of = NULL');
    await shop.send(dispute('created', 'needs_response', 5));
    await shop.send(dispute('closed', 'won', 20));
    assert.equal(await shop.balance(), 100_000);
  });

  describe('a refund that fails', () => {
    const failed = { id: 're_1', amount: 200, status: 'failed' };

    it('a refund that fails gives its credits back once, whatever the events about it', async () => {
      const { session, refund, changedRefund } = await shop.buy();
      await shop.send(session());
      await shop.send(refund(200));
      await shop.send(changedRefund('charge.refund.updated', { ...failed, status: 'pending' }));
      for (const type of ['refund.failed', 'charge.refund.updated', 'refund.updated']) await shop.send(changedRefund(type, failed));
      assert.deepEqual(await shop.ledger(), ['purchase 100000', 'adjustment -40000', 'adjustment 40000']);
      assert.deepEqual(await shop.outcomes(), ['credited', 'reversed', 'ignored', 'reversed', 'repeated', 'repeated']);
    });

    it('the credits of a canceled refund are given back', async () => {
      const { session, refund, changedRefund } = await shop.buy();
      for (const event of [session(), refund(200), changedRefund('refund.updated', { ...failed, status: 'canceled' })])
        await shop.send(event);
      assert.equal(await shop.balance(), 100_000);
    });

    it('a refund that fails takes nothing back when the events arrive in another order', async () => {
      const { session, refund, changedRefund } = await shop.buy();
      for (const event of [changedRefund('refund.failed', failed, 20), refund(200, {}, 10), session()]) await shop.send(event);
      assert.deepEqual([await shop.ledger(), await shop.outcomes()], [['purchase 100000'], ['noted', 'noted', 'credited']]);
    });

    it('a refund that fails gives back its own amount only, and later refunds count in full', async () => {
      const { session, refund, changedRefund } = await shop.buy();
      await shop.send(session());
      await shop.send(refund(200, {}, 10));
      await shop.send(refund(300, {}, 20));
      await shop.send(changedRefund('refund.failed', failed, 30));
      assert.equal(await shop.balance(), 80_000);
      await shop.send(refund(250, {}, 40));
      assert.equal(await shop.balance(), 50_000);
      await shop.send(refund(300, {}, 20));
      assert.equal(await shop.balance(), 50_000, 'an older state of the charge changes nothing');
    });

    it('a refund that fails gives back what the newest state of its charge does not contain', async () => {
      const { session, refund } = await shop.buy();
      for (const event of [session(), refund(200, {}, 10), refund(0, {}, 20), refund(200, {}, 10)]) await shop.send(event);
      assert.equal(await shop.balance(), 100_000);
    });
  });

  it('a refund of an unknown payment changes nothing', async () => {
    const { session, refund } = await shop.buy();
    await shop.send(session());
    await shop.send(refund(500, { payment_intent: 'pi_of_another_shop', id: 'ch_another' }));
    assert.deepEqual([await shop.outcomes(), await shop.balance()], [['credited', 'noted'], 100_000]);
  });

  it('a refund in another currency takes credits back in proportion to its charge', async () => {
    const { session, refund } = await shop.buy();
    await shop.send(session());
    await shop.send(refund(230, { currency: 'eur', amount: 460 }));
    assert.equal(await shop.balance(), 50_000);
    await shop.send(refund(460, { currency: 'eur', amount: 460 }));
    assert.deepEqual([await shop.outcomes(), await shop.balance()], [['credited', 'reversed', 'reversed'], 0]);
  });
});
