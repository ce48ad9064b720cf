import assert from 'node:assert/strict';
import { MemoryBudget } from '../../../models/flow/memory-budget.js';

const busy = { code: 'unavailable' };

describe('MemoryBudget', () => {
  const createBudget = () => new MemoryBudget({ maxBytes: 100, maxBytesPerOwner: 60, guaranteedBytesPerOwner: 10 });

  it('an owner above its memory budget is refused until some bytes are released', () => {
    const budget = createBudget();
    const [one, two] = [budget.reservationFor('a'), budget.reservationFor('a')];
    one.reserve(50);
    assert.throws(() => two.reserve(11), busy);
    one.release();
    two.reserve(60);
  });

  it('all owners above their memory budget are refused, except for the guaranteed bytes of each', () => {
    const budget = createBudget();
    budget.reservationFor('a').reserve(60);
    budget.reservationFor('b').reserve(40);
    const other = budget.reservationFor('c');
    other.reserve(10);
    assert.throws(() => other.reserve(1), busy);
  });

  it('the owners of a group above its memory budget are refused, except for the guaranteed bytes of each', () => {
    const budget = createBudget();
    const [one, two] = [budget.reservationFor('a1', 'a'), budget.reservationFor('a2', 'a')];
    one.reserve(50);
    two.reserve(10);
    assert.throws(() => two.reserve(1), busy);
    budget.reservationFor('a3', 'a').reserve(10);
    budget.reservationFor('b').reserve(30);
    one.release();
    two.reserve(40);
  });

  it('bytes are released once, and refused bytes do not count', () => {
    const budget = createBudget();
    const reservation = budget.reservationFor('a');
    reservation.reserve(60);
    assert.throws(() => reservation.reserve(1), busy);
    reservation.release();
    reservation.release();
    budget.reservationFor('a').reserve(60);
    assert.throws(() => budget.reservationFor('a').reserve(1), busy);
  });
});
