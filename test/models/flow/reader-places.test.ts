import assert from 'node:assert/strict';
import { type ReaderPlace, ReaderPlaces } from '../../../models/flow/reader-places.js';

const busy = { code: 'unavailable' };

describe('ReaderPlaces', () => {
  let now: number;
  let places: ReaderPlaces;
  let ended: string[];
  beforeEach(() => {
    now = 0;
    ended = [];
    places = new ReaderPlaces({ max: 2, bytesPerSecond: 1_000, behindMsMax: 30_000, now: () => now });
  });

  const take = (owner: string, address = owner) => {
    const place = places.take(owner, address);
    place.begin(() => ended.push(owner));
    return place;
  };
  /** The client takes these bytes in this time. */
  const read = (place: ReaderPlace, bytes: number, ms: number) => {
    place.offer(bytes);
    now += ms;
    place.taken();
  };

  it('an owner without a place is refused while all readers keep the pace, until one leaves', () => {
    const [one] = [take('one'), take('two')];
    assert.throws(() => take('three'), busy);
    one.leave();
    take('three');
    assert.deepEqual([['one', 'two', 'three'].map((owner) => places.has(owner)), ended], [[false, true, true], []]);
  });

  it('the reader that is furthest behind ends, once it is further behind than allowed', () => {
    const [one, two] = [take('one'), take('two')];
    one.offer(1_000);
    now += 1;
    two.offer(1_000);
    now += 29_999;
    assert.throws(() => take('three'), busy);
    now += 1;
    take('three');
    assert.deepEqual([ended, places.has('one')], [['one'], false]);
    assert.throws(() => take('one'), busy);
    now += 1;
    take('one');
    assert.deepEqual(ended, ['one', 'two']);
  });

  it('a reader that keeps the pace never ends, however unevenly it reads, nor does one that waits for data', () => {
    const [one, two] = [take('one'), take('two')];
    for (let round = 0; round < 1_000; round += 1) {
      read(one, 1_000, 25_000);
      for (let chunk = 0; chunk < 24; chunk += 1) read(one, 1_000, 0);
      assert.throws(() => take('three'), busy);
    }
    two.leave();
    now += 10_001; // the third one has not asked again
    take('two');
    now += 1_000_000;
    assert.throws(() => take('three'), busy);
    assert.deepEqual(ended, []);
  });

  it('a reader that is always a little too slow ends, also if it read fast before', () => {
    const [one, two] = [take('one'), take('two')];
    for (let second = 0; second < 301; second += 1) read(one, 900, 1_000);
    take('three');
    assert.deepEqual(ended, ['one']);
    for (let chunk = 0; chunk < 1_000; chunk += 1) read(two, 1_000_000, 0);
    two.offer(1);
    now += 30_001;
    take('four');
    assert.deepEqual(ended, ['one', 'two']);
  });

  it('a free place goes to the owner that was refused first, if it asks again within ten seconds', () => {
    const [one] = [take('one'), take('two')];
    assert.throws(() => take('honest'), busy);
    for (let time = 0; time < 100; time += 1) {
      now += 95;
      assert.throws(() => take('hasty'), busy);
    }
    one.leave();
    assert.throws(() => take('hasty'), busy, 'the other one has waited longer');
    take('honest').leave();
    take('hasty').leave();
    const three = take('three');
    assert.throws(() => take('gone'), busy);
    now += 10_001;
    three.leave();
    take('late');
  });

  it('a free place goes to an owner from an address that has no place yet', () => {
    const [one] = [take('one', 'crowd'), take('two', 'crowd')];
    for (const owner of ['three', 'four', 'five']) assert.throws(() => take(owner, 'crowd'), busy);
    assert.throws(() => take('honest', 'home'), busy);
    one.leave();
    assert.throws(() => take('three', 'crowd'), busy);
    take('honest', 'home');
  });

  it('the newest reader of an address with several places ends for one of an address without a place', () => {
    take('one', 'crowd');
    now += 29_000;
    take('two', 'crowd');
    assert.throws(() => take('honest', 'home'), busy);
    now += 1_001;
    assert.throws(() => take('three', 'crowd'), busy);
    take('honest', 'home');
    assert.deepEqual(ended, ['one'], 'the other one has not had its half minute');
    now += 100_000;
    assert.throws(() => take('four', 'elsewhere'), busy, 'each address has one place');
  });

  it('an owner whose first place was taken away keeps its new one', () => {
    const [first] = [take('one'), take('two')];
    first.offer(1);
    now += 30_001;
    const three = take('three');
    three.leave();
    take('one');
    first.leave();
    assert.ok(places.has('one'));
    assert.throws(() => take('three'), busy);
  });
});
