import assert from 'node:assert/strict';
import fc from 'fast-check';
import { chainCostMax, type ChargedStep, costOfStep, fallbackVerdict, takenOver } from '../../../../models/rules/messages/fallback.js';
import type { Status } from '../../../../models/rules/messages/status.js';

describe('a chain across channels', () => {
  for (const [status, code, early, due] of [
    ['queued', null, 'wait', 'now'],
    ['sent', null, 'wait', 'now'],
    ['delivered', null, 'over', 'over'],
    ['read', null, 'over', 'over'],
    ['failed', '30008', 'now', 'now'],
    ['failed', 'suppressed', 'now', 'now'],
    ['failed', 'provider_unavailable', 'now', 'now'],
    ['failed', 'handoff_unknown', 'wait', 'now'],
    ['failed', 'cancelled', 'over', 'over'],
    ['failed', 'expired', 'over', 'over'],
    ['failed', 'suspended', 'over', 'over'],
    ['failed', 'unverified', 'over', 'over'],
  ] as [Status, string | null, string, string][]) {
    it(`the verdict on a chain after ${code ?? status} is "${early}" before its time, and "${due}" after it`, () => {
      const before = { status, error_code: code, has_expired: false };
      assert.deepEqual([fallbackVerdict(before, false), fallbackVerdict(before, true)], [early, due]);
      assert.equal(fallbackVerdict({ ...before, has_expired: true }, true), 'over', 'its next step would expire at once');
    });
  }

  it('a chain across channels costs at most as much as its most expensive step', () => {
    const price = fc.integer({ min: 1, max: 10_000 });
    fc.assert(
      fc.property(fc.array(fc.tuple(price, fc.boolean()), { minLength: 1, maxLength: 4 }), (steps) => {
        let charged = 0;
        for (const [each, isRefunded] of steps) {
          const cost = costOfStep(each, charged);
          assert.ok(cost >= 0);
          charged += isRefunded ? 0 : cost;
        }
        const prices = steps.map(([each]) => each);
        assert.equal(chainCostMax(prices), Math.max(...prices));
        assert.ok(charged <= chainCostMax(prices));
      }),
    );
  });

  /** A chain of messages with these prices, each charged the difference to those before it. */
  const chainOf = (...each: number[]): ChargedStep[] => {
    let charged = 0;
    return each.map((one, index) => {
      const cost = costOfStep(one, charged);
      charged += cost;
      return { id: String(index), price: one, cost, isCharged: true };
    });
  };
  const taken = (chain: ChargedStep[], id: string) => takenOver(chain, id).map((part) => `${part.id}: ${part.amount}`);

  it('later steps of a chain take over from a refund what they were discounted by', () => {
    assert.deepEqual(taken(chainOf(1_000, 100, 500), '0'), ['1: 100', '2: 400']);
    assert.deepEqual(taken(chainOf(500, 1_000), '0'), ['1: 500']);
    assert.deepEqual(taken(chainOf(500, 1_000, 800), '1'), ['2: 300']);
    assert.deepEqual(taken(chainOf(1_000, 100), '1'), [], 'nothing goes to an earlier message');
    assert.deepEqual(taken(chainOf(1_000, 100), '2'), [], 'an unknown message');
    const [first, second, third] = chainOf(1_000, 500, 100) as [ChargedStep, ChargedStep, ChargedStep];
    assert.deepEqual(taken([first, { ...second, isCharged: false }, third], '0'), ['2: 100'], 'nothing goes to a refunded step');
    assert.deepEqual(taken([first, { ...second, cost: 500 }, third], '0'), [], 'a step that has paid its price takes nothing');
    assert.deepEqual(taken([{ ...first, cost: 50 }, second, third], '0'), ['1: 50'], 'no more than is refunded');
  });

  it('a chain costs its most expensive step that is not refunded, in any order of steps and refunds', () => {
    const price = fc.integer({ min: 1, max: 10_000 });
    const event = fc.oneof(fc.record({ sends: price }), fc.record({ refunds: fc.nat(3) }));
    fc.assert(
      fc.property(price, fc.array(event, { maxLength: 8 }), (begin, events) => {
        const chain = chainOf(begin);
        const sum = () => chain.reduce((total, { cost, isCharged }) => total + (isCharged ? cost : 0), 0);
        for (const each of events) {
          if ('sends' in each)
            chain.push({ id: String(chain.length), price: each.sends, cost: costOfStep(each.sends, sum()), isCharged: true });
          const failed = 'refunds' in each ? chain[each.refunds] : undefined;
          if (failed?.isCharged === true) {
            const parts = takenOver(chain, failed.id);
            assert.ok(parts.reduce((total, { amount }) => total + amount, 0) <= failed.cost);
            for (const { id, amount } of parts) (chain[Number(id)] as ChargedStep).cost += amount;
            failed.isCharged = false;
          }
          assert.equal(sum(), Math.max(0, ...chain.filter(({ isCharged }) => isCharged).map((step) => step.price)));
        }
      }),
    );
  });
});
