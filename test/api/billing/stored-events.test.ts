import assert from 'node:assert/strict';
import { nowhere } from '../../support/carriers/counterpart.js';
import { createPayments } from '../../../api/outside/payments.js';
import { stripeEnv } from '../../support/carriers/payments.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { whileReplaced } from '../start-app.js';
import { shopForEach } from './shop.js';

describe('what is stored of a payment event', () => {
  const shop = shopForEach();

  it('a payment that was ignored because of a wrong key is credited when its event is sent again', async () => {
    const { session } = await shop.buy();
    const event = { id: 'evt_again', livemode: true, ...session() };
    await shop.send(event);
    assert.deepEqual([await shop.outcomes(), await shop.ledger()], [['ignored'], []]);
    const env = { ...stripeEnv(nowhere.url), STRIPE_SECRET_KEY: 'sk_live_tests' };
    const withLiveKey = createPayments(testConfig(env), shop.app.deps.logger);
    await whileReplaced(shop.app.deps, 'payments', withLiveKey, () => Promise.all([shop.send(event), shop.send(event)]));
    await shop.send(event);
    assert.deepEqual([await shop.outcomes(), await shop.ledger()], [['credited'], ['purchase 100000']]);
  });

  it('the text of a payment event is kept only if it is about an order', async () => {
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
