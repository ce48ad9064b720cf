import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { PaymentEvent } from '../../support/carriers/payments.js';
import { type RefundHistory, refundHistories } from '../../support/carriers/refund-histories.js';
import { rows } from '../../support/database.js';
import { type Purchase, shopForEach } from './shop.js';

const price = 500;

describe('refunds of one charge', () => {
  const shop = shopForEach();
  /** A refund that raises the sum of the charge's refunds. */
  const raised = ({ refund }: Purchase, before: number, after: number, at: number): PaymentEvent => ({
    ...refund(after, {}, at),
    previous: { amount_refunded: before, refunded: false },
  });
  const failed = ({ changedRefund }: Purchase, id: string, amount: number, at: number) =>
    changedRefund('refund.failed', { id, amount, status: 'failed' }, at);

  it('a refund counts in full if another fails in the same second', async () => {
    const sold = await shop.buy();
    for (const event of [sold.session(), raised(sold, 0, 200, 10), failed(sold, 're_1', 200, 20), raised(sold, 0, 100, 20)])
      await shop.send(event);
    assert.equal(await shop.balance(), 80_000);
  });

  it('a failed refund counts from its first event, also if a later one arrives before', async () => {
    const sold = await shop.buy();
    const late = sold.changedRefund('refund.updated', { id: 're_1', amount: 200, status: 'failed' }, 40);
    for (const event of [sold.session(), sold.refund(200, {}, 10), late, sold.refund(100, {}, 30), failed(sold, 're_1', 200, 20)])
      await shop.send(event);
    assert.equal(await shop.balance(), 80_000);
  });

  it('a failed refund whose own event is missing counts with the next refund', async () => {
    const sold = await shop.buy();
    for (const event of [sold.session(), raised(sold, 0, 200, 10), raised(sold, 0, 100, 20)]) await shop.send(event);
    assert.equal(await shop.balance(), 80_000);
    await shop.send(failed(sold, 're_1', 200, 15));
    assert.equal(await shop.balance(), 80_000);
  });

  it('refunds that a former version noted count beside later ones', async () => {
    const sold = await shop.buy();
    await shop.send(sold.session());
    const former = `INSERT INTO payment_reversals (provider, cause, payment_id, amount_cents, currency, as_of)
      VALUES ('stripe', 'ch_pi_1', 'pi_1', $1, 'usd', to_timestamp($2))`;
    await rows(shop.app.deps.db, former, [200, 10]);
    await shop.send(failed(sold, 're_1', 200, 20));
    for (const event of [raised(sold, 0, 100, 20), raised(sold, 100, 150, 20)]) await shop.send(event);
    assert.equal(await shop.balance(), 70_000);
    await rows(shop.app.deps.db, `UPDATE payment_reversals SET amount_cents = 250, as_of = to_timestamp(30)`); // a former version, meanwhile
    await shop.send(raised(sold, 250, 300, 40));
    await shop.send(failed(sold, 're_4', 100, 40));
    assert.equal(await shop.balance(), 60_000);
  });

  it('refunds of one charge leave the same credits, however their events are ordered and repeated', async () => {
    let sales = 0;
    const arrivals = refundHistories().chain((history) =>
      fc.tuple(fc.constant(history), fc.shuffledSubarray(placesOf(history), { minLength: placesOf(history).length })),
    );
    await fc.assert(
      fc.asyncProperty(arrivals, async ([history, places]) => {
        const before = (await shop.balance()) ?? 0;
        const sold = await shop.buy(`pi_${(sales += 1)}`);
        const events = eventsOf(sold, history).map((event, place) => ({ ...event, id: `evt_${sales}_${place}` }));
        for (const place of places) await shop.send(events[place % events.length] ?? assert.fail());
        const kept = price - Math.min(price, history.cents);
        assert.equal(((await shop.balance()) ?? 0) - before, (100_000 * kept) / price);
      }),
      { numRuns: 25 },
    );
  });

  const eventsOf = (sold: Purchase, { refunds, returns }: RefundHistory) => [
    sold.session(),
    ...refunds.map(({ before, after, at }) => raised(sold, before, after, at)),
    ...returns.map(({ id, amount, at }) => failed(sold, `${sold.sessionId}_${id}`, amount, at)),
  ];
  /** Two arrivals of each event. */
  const placesOf = ({ refunds, returns }: RefundHistory) => Array.from({ length: 2 * (1 + refunds.length + returns.length) }, (_, i) => i);
});
