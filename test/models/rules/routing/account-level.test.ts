import assert from 'node:assert/strict';
import fc from 'fast-check';
import { levelMax } from '../../../../models/rules/routing/route.js';
import { dueChange, probePauses, type Seen } from '../../../../models/rules/routing/account-level.js';

const windowSeconds = 60;
const seen = (changes: Partial<Seen>): Seen => ({ level: levelMax, calls: 0, bad: 0, badInARow: 0, sinceSeconds: 1_000, ...changes });
const levelAfter = (changes: Partial<Seen>) => dueChange(seen(changes), windowSeconds)?.level;

describe('the health of a route', () => {
  it('the health of a route falls to 0 at once when nearly all calls fail', () => {
    assert.equal(levelAfter({ calls: 5, bad: 5, sinceSeconds: 0 }), 0);
    assert.equal(levelAfter({ calls: 4, bad: 4, sinceSeconds: 0 }), undefined);
    assert.equal(levelAfter({ calls: 2, bad: 2, sinceSeconds: 0, level: 1 }), 0, 'sooner on its way back');
  });

  it('the health of a route falls to 0 after eight failed calls in a row', () => {
    assert.equal(levelAfter({ calls: 1_000, bad: 8, badInARow: 8, sinceSeconds: 0 }), 0);
    assert.equal(levelAfter({ calls: 1_000, bad: 8, badInARow: 7, sinceSeconds: 0 }), undefined);
  });

  it('the health of a route falls in steps while some calls fail, after enough new calls', () => {
    assert.equal(levelAfter({ calls: 20, bad: 4 }), 7);
    assert.equal(levelAfter({ calls: 20, bad: 4, level: 7 }), 4);
    assert.equal(levelAfter({ calls: 20, bad: 4, level: 2 }), 1, 'not below what shows whether it is healthy again');
    assert.equal(levelAfter({ calls: 20, bad: 4, level: 7, sinceSeconds: 5 }), undefined);
    assert.equal(levelAfter({ calls: 20, bad: 2, level: 7 }), undefined, 'neither healthy nor failing');
    assert.equal(levelAfter({ calls: 6, bad: 3 }), undefined, 'too few to tell');
  });

  it('an account is down or failing from the limits of that on, and healthy only below its limit', () => {
    assert.equal(levelAfter({ calls: 10, bad: 8 }), 0, '80 % is down');
    assert.equal(levelAfter({ calls: 10, bad: 2 }), 7, 'ten calls are enough');
    assert.equal(levelAfter({ calls: 20, bad: 3 }), 7, '15 % is failing');
    assert.equal(levelAfter({ calls: 20, bad: 1, level: 7 }), undefined, '5 % is not healthy');
    assert.equal(levelAfter({ calls: 2, bad: 2, level: 5 }), undefined, 'half of the health is not yet on its way back');
    assert.equal(levelAfter({ calls: 20, bad: 4, level: 1 }), undefined, 'cannot fall in steps below 1');
  });

  it('the health of a route changes after its part of the window, not before', () => {
    const falling = { calls: 20, bad: 4 };
    assert.deepEqual([levelAfter({ ...falling, sinceSeconds: 9.9 }), levelAfter({ ...falling, sinceSeconds: 10 })], [undefined, 7]);
    assert.deepEqual([levelAfter({ level: 8, sinceSeconds: 23.9 }), levelAfter({ level: 8, sinceSeconds: 24 })], [undefined, 10]);
    assert.deepEqual([probePauses.first * windowSeconds, probePauses.longest * windowSeconds], [5, 30], 'pauses before probes');
  });

  it('the reason of a health change says how many calls failed or took too long', () => {
    const reasonOf = (changes: Partial<Seen>) => dueChange(seen(changes), windowSeconds)?.reason;
    assert.equal(reasonOf({ calls: 20.4, bad: 3.6 }), '4 of 20 calls failed or took too long');
    assert.equal(reasonOf({ calls: 20, bad: 8, badInARow: 8 }), '8 calls in a row failed or took too long');
  });

  it('the health of a route rises from 0 only by a probe', () => {
    assert.equal(levelAfter({ level: 0, sinceSeconds: 100_000 }), undefined);
    assert.equal(levelAfter({ level: 0, calls: 3, bad: 3 }), undefined);
    assert.equal(levelAfter({ level: 0, calls: 1, sinceSeconds: 0 }), 1);
  });

  it('the health of a route is full within five minutes after the first good probe', () => {
    let level = 1;
    let seconds = 0;
    for (let since = 0; level < levelMax; seconds += 1, since += 1) {
      const change = dueChange(seen({ level, calls: 50, bad: 0, sinceSeconds: since }), windowSeconds);
      if (change !== null) [level, since] = [change.level, 0];
      assert.ok(seconds < 300 - windowSeconds / 2, `at ${level} after ${seconds} s`);
    }
  });

  it('the health of a route slowly becomes full again without calls', () => {
    assert.equal(levelAfter({}), undefined);
    assert.equal(levelAfter({ level: 8 }), 10);
    assert.equal(levelAfter({ level: 8, sinceSeconds: 20 }), undefined);
  });

  it('the health of a route stays within its bounds, and falls only after bad calls', () => {
    const level = fc.integer({ min: 0, max: levelMax });
    const calls = fc.double({ min: 0, max: 1_000, noNaN: true });
    const part = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(level, calls, part, fc.nat(1_000), fc.integer({ min: 2, max: 600 }), (at, count, share, sinceSeconds, window) => {
        const change = dueChange(
          { level: at, calls: count, bad: count * share, badInARow: Math.floor(count * share), sinceSeconds },
          window,
        );
        if (change === null) return;
        assert.ok(change.level >= 0 && change.level <= levelMax && change.level !== at && change.reason !== '');
        if (change.level < at) assert.ok(share > 0);
      }),
    );
  });
});
