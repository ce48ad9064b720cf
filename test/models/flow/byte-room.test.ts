import assert from 'node:assert/strict';
import { AppError } from '../../../models/errors.js';
import { ByteRoom } from '../../../models/flow/byte-room.js';

const isBusy = (error: unknown) => error instanceof AppError && error.code === 'unavailable';

describe('room for the bytes of others', () => {
  const room = () => new ByteRoom({ most: 100, mostOfOwner: 60, little: 10 });

  it('refuses what is too much for one owner, and takes it when he has released', () => {
    const all = room();
    const [one, two] = [all.holdFor('a'), all.holdFor('a')];
    one.take(50);
    assert.throws(() => two.take(11), isBusy);
    one.release();
    two.take(60);
  });

  it('refuses what is too much in all, but of nobody who has only a little', () => {
    const all = room();
    all.holdFor('a').take(60);
    all.holdFor('b').take(40);
    const other = all.holdFor('c');
    other.take(10);
    assert.throws(() => other.take(1), isBusy);
  });

  it('releases once, and what was refused takes no room', () => {
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
