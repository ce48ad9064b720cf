import assert from 'node:assert/strict';
import { AppError } from '../../../models/errors.js';
import { MemoryBudget } from '../../../models/flow/memory-budget.js';

const isBusy = (error: unknown) => error instanceof AppError && error.status === 503;

describe('MemoryBudget', () => {
  const createBudget = () => new MemoryBudget({ maxBytes: 100, maxBytesPerOwner: 60, guaranteedBytesPerOwner: 10 });

  it('refuses too many bytes of one owner until some are released', () => {
    const budget = createBudget();
    const [one, two] = [budget.reservationFor('a'), budget.reservationFor('a')];
    one.reserve(50);
    assert.throws(() => two.reserve(11), isBusy);
    one.release();
    two.reserve(60);
  });

  it('refuses too many bytes of all owners, except the guaranteed bytes of each', () => {
    const budget = createBudget();
    budget.reservationFor('a').reserve(60);
    budget.reservationFor('b').reserve(40);
    const other = budget.reservationFor('c');
    other.reserve(10);
    assert.throws(() => other.reserve(1), isBusy);
  });

  it('releases bytes once, and does not count refused bytes', () => {
    const budget = createBudget();
    const reservation = budget.reservationFor('a');
    reservation.reserve(60);
    assert.throws(() => reservation.reserve(1), isBusy);
    reservation.release();
    reservation.release();
    budget.reservationFor('a').reserve(60);
    assert.throws(() => budget.reservationFor('a').reserve(1), isBusy);
  });
});
