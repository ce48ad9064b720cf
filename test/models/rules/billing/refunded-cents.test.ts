import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type ChargeRefund, refundedCents, type ReturnedRefund } from '../../../../models/rules/billing/refunded-cents.js';
import { continued, type RefundHistory, refundHistories } from '../../../support/carriers/refund-histories.js';

const raised = (before: number | null, after: number, at: number | null): ChargeRefund => ({ before, after, at });
const back = (amount: number, at: number | null): ReturnedRefund => ({ amount, at });

describe('what is refunded of a charge', () => {
  const cases: [what: string, refunds: ChargeRefund[], returned: ReturnedRefund[], cents: number][] = [
    ['no event', [], [], 0],
    ['only an event that a refund failed', [], [back(200, 10)], 0],
    ['refunds in one second', [raised(0, 100, 10), raised(100, 150, 10), raised(150, 400, 10)], [], 400],
    ['a refund that failed before the next one', [raised(0, 200, 10), raised(0, 100, 30)], [back(200, 20)], 100],
    ['a refund that failed after the next one', [raised(0, 200, 10), raised(200, 300, 20)], [back(200, 30)], 100],
    ['a refund that failed in the second of the next one', [raised(0, 200, 10), raised(0, 100, 20)], [back(200, 20)], 100],
    ['two refunds and a failure between them in one second', [raised(0, 200, 10), raised(0, 100, 10)], [back(200, 10)], 100],
    ['a lost event about the first refund', [raised(100, 300, 20)], [back(100, 30)], 200],
    ['a lost event about a refund that failed', [raised(200, 300, 20)], [back(200, 10)], 300],
    ['a lost event that a refund failed', [raised(0, 200, 10), raised(0, 50, 20)], [], 50],
    ['refunds of which the sums are known', [raised(null, 200, 10), raised(null, 100, 30)], [back(200, 20)], 100],
    ['refunds of which the sum before is not below the one after', [raised(300, 200, 10), raised(200, 200, 20)], [], 200],
    ['a sum without a time', [raised(null, 200, null)], [back(50, 10)], 150],
    ['a sum without a time beside a smaller one', [raised(null, 200, null), raised(0, 50, 20)], [], 200],
    ['a refund that failed at an unknown time', [raised(null, 200, 10)], [back(50, null)], 150],
    ['an event that is doubled under another id', [raised(0, 200, 10), raised(0, 200, 10)], [], 200],
    ['an event that is doubled, and a failure of its refund', [raised(0, 200, 10), raised(0, 200, 10)], [back(200, 20)], 0],
    ['a doubled event beside a refund that failed', [raised(0, 200, 10), raised(0, 200, 10), raised(200, 300, 15)], [back(100, 20)], 200],
    ['two equal refunds and a failure between them in one second', [raised(0, 200, 10), raised(0, 200, 10)], [back(200, 10)], 200],
    ['two equal refunds and a failure at an unknown time', [raised(0, 200, 10), raised(0, 200, 10)], [back(200, null)], 200],
  ];
  for (const [what, refunds, returned, cents] of cases)
    it(`${cents} cents of a charge are refunded after ${what}`, () => {
      assert.equal(refundedCents(refunds, returned), cents);
      assert.equal(refundedCents(refunds.toReversed(), returned.toReversed()), cents);
    });

  const inAnyOrder = <Item>(items: readonly Item[]) => fc.shuffledSubarray([...items], { minLength: items.length });

  it('the refunded sum is exact whatever fails within one second', () => {
    const arrivals = refundHistories().chain(({ refunds, returns, cents }) =>
      fc.tuple(inAnyOrder(refunds), inAnyOrder(returns), fc.constant(cents)),
    );
    fc.assert(fc.property(arrivals, ([refunds, returned, cents]) => assert.equal(refundedCents(refunds, returned), cents)));
  });

  it('the refunded sum is exact with sums of a former version, unless two changes were in one second', () => {
    const pairs = fc.tuple(refundHistories(1), refundHistories(0, 'later'));
    fc.assert(
      fc.property(pairs, fc.boolean(), ([first, later], isEachKept) => {
        const { refunds, returns, cents } = continued(first, later);
        const noted = formerly(first, isEachKept);
        assert.equal(refundedCents([...refunds.slice(first.refunds.length), ...noted], returns), cents);
      }),
    );
  });

  it('the refunded sum is at most the newest sum, and at least that less the later failures', () => {
    const amounts = fc.record({ amount: fc.nat(300), at: fc.option(fc.nat(5)) });
    const sums = fc.record({ before: fc.option(fc.nat(500)), after: fc.nat(500), at: fc.nat(5) });
    fc.assert(
      fc.property(fc.array(sums, { minLength: 1 }), fc.array(amounts), (refunds, returned) => {
        const cents = refundedCents(refunds, returned);
        const newest = Math.max(...refunds.map(({ at }) => at));
        const sum = Math.max(...refunds.filter(({ at }) => at === newest).map(({ after }) => after));
        const later = returned.filter(({ at }) => at === null || at >= newest).reduce((total, { amount }) => total + amount, 0);
        assert.ok(cents >= Math.max(0, sum - later) && cents <= sum, `${cents}`);
      }),
    );
  });

  /** The former version replaced each sum by the next one. What it noted meanwhile is copied before that. */
  const formerly = ({ refunds }: RefundHistory, isEachKept: boolean) =>
    refunds.slice(isEachKept ? 0 : -1).map(({ after, at }) => raised(null, after, at));
});
