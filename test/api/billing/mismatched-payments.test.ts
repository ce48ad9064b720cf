/** Events that do not fit their order are logged for the operator. */
import assert from 'node:assert/strict';
import { shopForEach } from './shop.js';

describe('a payment event that does not fit its order', () => {
  const shop = shopForEach();
  const errors: unknown[][] = [];
  before(() => {
    shop.app.deps.logger.error = ((...line: unknown[]) => void errors.push(line)) as typeof shop.app.deps.logger.error;
  });
  beforeEach(() => errors.splice(0));

  it('a payment of another amount is logged as an error with its workspace and credits nothing', async () => {
    const { session } = await shop.buy();
    const paid = { id: 'evt_paid', ...session('completed', { amount_total: 499 }) };
    await shop.send(paid);
    const line = { event_id: 'evt_paid', event_type: paid.type, outcome: 'mismatched' };
    const where = { workspace_id: shop.buyer.workspaceId, payment_id: 'pi_1' };
    assert.deepEqual(errors, [[{ ...line, ...where }, 'a payment is not what was ordered: nothing was credited']]);
    assert.equal(await shop.balance(), 0);
  });

  it('a live payment with a test key is logged as an error and credits nothing', async () => {
    const { session } = await shop.buy();
    await shop.send({ id: 'evt_live', ...session(), livemode: true });
    const text =
      'a payment event has another mode (test or live) than STRIPE_SECRET_KEY: nothing was credited. Set key and signing secret of one mode';
    assert.deepEqual(errors, [[{ event_id: 'evt_live', live: true }, text]]);
    assert.equal(await shop.balance(), 0);
  });

  for (const what of ['a dispute', 'a failed refund'] as const)
    it(`${what} in another currency is logged as an error with its workspace and changes no credits`, async () => {
      const { session, dispute, changedRefund } = await shop.buy();
      await shop.send(session());
      const lost = dispute('closed', 'lost');
      const event = what === 'a dispute' ? lost : changedRefund('refund.failed', { id: 're_1', amount: 500, status: 'failed' });
      await shop.send({ ...event, id: 'evt_other', object: { ...event.object, currency: 'eur' } });
      const line = { event_id: 'evt_other', event_type: event.type, outcome: 'mismatched' };
      const where = { workspace_id: shop.buyer.workspaceId, payment_id: 'pi_1' };
      assert.deepEqual(errors, [
        [{ ...line, ...where }, 'a refund or dispute is in another currency than its payment: no credits were changed'],
      ]);
      assert.equal(await shop.balance(), 100_000);
    });

  it('a refund in another currency counts with the one that came before its payment', async () => {
    const { session, refund } = await shop.buy();
    const inEuros = (cents: number, before: number) => {
      const { type, object } = refund(cents, { amount: 400, currency: 'eur' });
      return { type, object, previous: { amount_refunded: before } };
    };
    await shop.send(inEuros(100, 0));
    await shop.send(session());
    await shop.send(inEuros(200, 100));
    assert.deepEqual(await shop.outcomes(), ['noted', 'credited', 'reversed']);
    assert.equal(await shop.balance(), 50_000);
  });
});
