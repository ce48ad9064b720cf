import assert from 'node:assert/strict';
import { rows } from '../../support/database.js';
import { shopForEach } from './shop.js';

describe('what is stored of a payment event', () => {
  const shop = shopForEach();

  it('keeps the text of an event only if it is about an order', async () => {
    const { session, refund } = await shop.buy();
    const payer = { billing_details: { email: 'payer@example.com' } };
    const ofOthers = { id: 'ch_other', payment_intent: 'pi_other', ...payer };
    await shop.send(refund(100, payer)); // the payment is not known yet
    for (const type of ['charge.succeeded', 'payment_intent.succeeded', 'charge.refunded', 'charge.dispute.created'])
      await shop.send({ type, object: { amount_refunded: 5, amount: 5, currency: 'usd', ...ofOthers } });
    await shop.send({ type: 'payment_intent.succeeded', object: { id: 'pi_1', ...payer } });
    await shop.send({ type: 'checkout.session.completed', object: { id: 'cs_other', payment_status: 'paid', ...payer } });
    const kept = () => rows(shop.app.deps.db, `SELECT type FROM payment_events WHERE raw LIKE '%payer@example.com%'`);
    assert.deepEqual(await kept(), []);
    await shop.send(session('completed', payer));
    assert.deepEqual(await kept(), [{ type: 'checkout.session.completed' }]);
    assert.deepEqual(await shop.ledger(), ['purchase 100000', 'adjustment -20000']);
  });
});
