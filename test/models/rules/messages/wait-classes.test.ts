import assert from 'node:assert/strict';
import fc from 'fast-check';
import { percentileOf } from '../../../../models/rules/messages/wait-classes.js';

/** The rule of the SQL, in another language. */
const classOf = (ms: number) => Math.floor((8 * Math.log(Math.max(10, ms) / 10)) / Math.log(2));

describe('percentiles of waits', () => {
  it('percentiles are null without waits, and without any that count', () => {
    assert.equal(percentileOf(new Map(), 0.5), null);
    assert.equal(percentileOf(new Map([[3, 0]]), 0.5), null);
  });

  it('percentiles of waits are at most 5 % from the exact ones', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 10, max: 250_000_000 }), { minLength: 1 }), fc.constantFrom(0.5, 0.95), (waits, share) => {
        const counts = new Map<number, number>();
        for (const ms of waits) counts.set(classOf(ms), (counts.get(classOf(ms)) ?? 0) + 1);
        const exact = waits.toSorted((one, other) => one - other)[Math.ceil(waits.length * share) - 1] ?? assert.fail();
        const estimate = percentileOf(counts, share) ?? assert.fail();
        assert.ok(Math.abs(estimate - exact) <= exact * 0.05 + 1, `${estimate} for ${exact}`);
      }),
    );
  });
});
