import assert from 'node:assert/strict';
import { AppError } from '../../../models/errors.js';
import { ByteRoom } from '../../../models/flow/byte-room.js';

const isBusy = (error: unknown) => error instanceof AppError && error.status === 503;

describe('the byte limit', () => {
  const room = () => new ByteRoom({ most: 100, mostOfOwner: 60, little: 10 });

  it('refuses above the limit of one owner, and admits after a release', () => {
    const all = room();
    const [one, two] = [all.holdFor('a'), all.holdFor('a')];
    one.take(50);
    assert.throws(() => two.take(11), isBusy);
    one.release();
    two.take(60);
  });

  it('refuses above the common limit, except for owners with little', () => {
    const all = room();
    all.holdFor('a').take(60);
    all.holdFor('b').take(40);
    const other = all.holdFor('c');
    other.take(10);
    assert.throws(() => other.take(1), isBusy);
  });

  it('releases once, and counts nothing that was refused', () => {
    const all = room();
    const held = all.holdFor('a');
    held.take(60);
    assert.throws(() => held.take(1), isBusy);
    held.release();
    held.release();
    all.holdFor('a').take(60);
    assert.throws(() => all.holdFor('a').take(1), isBusy);
  });
});
