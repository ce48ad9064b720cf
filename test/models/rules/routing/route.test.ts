import assert from 'node:assert/strict';
import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { chooseRoute, drawOf, levelMax, sharesOf, type AccountStanding } from '../../../../models/rules/routing/route.js';

const level = fc.integer({ min: 0, max: levelMax });
const standingsOf = (weights: fc.Arbitrary<number>) =>
  fc
    .array(fc.tuple(weights, level), { minLength: 1, maxLength: 5 })
    .filter((pairs) => pairs.some(([weight]) => weight > 0))
    .map((pairs) => pairs.map(([weight, at], index): AccountStanding => ({ account: `a${index}`, weight, level: at })));
const standings = standingsOf(fc.integer({ min: 0, max: 100 }));
const draw = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const first = (given: AccountStanding[], at: number) => chooseRoute(given, at).accounts[0]?.account;
const account = (name: string, weight: number, health = levelMax): AccountStanding => ({ account: name, weight, level: health });

describe('the route of a message', () => {
  it('the route of a message has shares that add up to 1, and none for an account at 0', () => {
    fc.assert(
      fc.property(standings, (given) => {
        const shares = sharesOf(given);
        assert.ok(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 1) < 1e-9);
        const anyWell = given.some(
          ({ weight, level: at }) => at > 0 && (weight > 0 || given.some((each) => each.weight > 0 && each.level < levelMax)),
        );
        for (const [at, share] of shares.entries()) {
          assert.ok(share >= 0);
          if (given[at]?.level === 0 && anyWell) assert.equal(share, 0);
        }
      }),
    );
  });

  it('the route of a message follows the weights when all are healthy, without standby accounts', () => {
    assert.deepEqual(sharesOf([account('a', 3), account('b', 1), account('c', 0)]), [0.75, 0.25, 0]);
  });

  it('the route of a message gives the share of a failing account to others and to standby accounts', () => {
    assert.deepEqual(
      sharesOf([account('a', 1, 5), account('b', 1)]).map((share) => Math.round(share * 100)),
      [33, 67],
    );
    assert.deepEqual(sharesOf([account('a', 1, 5), account('b', 0)]), [0.5, 0.5]);
    assert.deepEqual(sharesOf([account('a', 1, 0), account('b', 0)]), [0, 1]);
  });

  it('the route of a message follows the weights when all are at 0', () => {
    assert.deepEqual(sharesOf([account('a', 3, 0), account('b', 1, 0), account('c', 0, 0)]), [0.75, 0.25, 0]);
  });

  it('the route of a message gives an account no larger share with less health', () => {
    fc.assert(
      fc.property(standingsOf(fc.integer({ min: 1, max: 100 })), fc.nat(4), (given, which) => {
        const at = which % given.length;
        const one = given[at] as AccountStanding;
        if (one.level < 2) return;
        const worse = given.map((each) => (each === one ? { ...each, level: each.level - 1 } : each));
        assert.ok((sharesOf(worse)[at] ?? 1) <= (sharesOf(given)[at] ?? 0) + 1e-9);
      }),
    );
  });

  it('the route of a message lists each account once, without accounts at 0 unless all are', () => {
    fc.assert(
      fc.property(standings, draw, (given, at) => {
        const choice = chooseRoute(given, at);
        assert.deepEqual(choice, chooseRoute(given, at));
        const names = choice.accounts.map((each) => each.account);
        assert.equal(new Set(names).size, names.length);
        const shares = sharesOf(given);
        const able = given.flatMap((each, index) => ((shares[index] ?? 0) > 0 || each.level > 0 ? [each.account] : []));
        assert.deepEqual(names.toSorted(), able.toSorted());
      }),
    );
  });

  it('the route of a message is drawn as often as its share', () => {
    const given = [account('a', 7), account('b', 2), account('c', 1)];
    const countOf = (draws: number[]) => draws.filter((at) => first(given, at) === 'a').length / draws.length;
    const rounds = Array.from({ length: 40 }, (_, round) => drawOf('0190a5a8-0000-7000-8000-000000000001', round));
    assert.ok(Math.abs(countOf(rounds) - 0.7) < 0.06, String(countOf(rounds)));
    const groups = Array.from({ length: 4_000 }, () => drawOf(uuidv7(), 0));
    assert.ok(groups.every((at) => at >= 0 && at < 1));
    assert.ok(Math.abs(countOf(groups) - 0.7) < 0.05, String(countOf(groups)));
  });

  it('the route of a message lists the other accounts by their share, and a healthy standby last', () => {
    const given = [account('a', 1), account('b', 0), account('c', 2), account('d', 5)];
    const names = (at: number) =>
      chooseRoute(given, at)
        .accounts.map((each) => each.account)
        .join('');
    assert.deepEqual([names(0), names(0.999)], ['adcb', 'dcab']);
  });

  it('the route of a message changes the account exactly where its share ends, and never draws a standby', () => {
    const given = [account('a', 3), account('b', 1), account('c', 0)];
    assert.deepEqual([first(given, 0.75 - 2 ** -50), first(given, 0.75), first(given, 1)], ['a', 'b', 'b']);
  });

  it('the route of a message states its reason', () => {
    assert.equal(chooseRoute([account('a', 1)], 0.5).reason, 'only');
    assert.equal(chooseRoute([account('a', 1), account('b', 1)], 0.5).reason, 'share');
    assert.deepEqual(chooseRoute([account('a', 1, 0), account('b', 1)], 0), { reason: 'moved', accounts: [{ account: 'b', share: 100 }] });
  });
});
