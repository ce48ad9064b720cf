import assert from 'node:assert/strict';
import fc from 'fast-check';
import { defaultRetryDelays } from '../../../../models/settings/webhook-settings.js';
import { parseRetryAfter, retryDelaySeconds } from '../../../../models/rules/webhooks/retry.js';

const schedule = defaultRetryDelays.split(',').map(Number);

describe('retryDelaySeconds', () => {
  it('lasts 72 hours to five days with the default retry schedule', () => {
    const total = (random: number) =>
      schedule.reduce((sum, _, index) => sum + (retryDelaySeconds(schedule, index + 1, null, random) ?? 0), 0) / 3_600;
    assert.ok(total(0) >= 72, `${total(0)} h`);
    assert.ok(total(1) < 120, `${total(1)} h`);
    assert.deepEqual(
      schedule,
      schedule.toSorted((a, b) => a - b),
      'the delays grow',
    );
  });

  it('the delay of a retry is null after the last step, and at once without a retry schedule', () => {
    assert.notEqual(retryDelaySeconds(schedule, schedule.length, null), null);
    assert.equal(retryDelaySeconds(schedule, schedule.length + 1, null), null);
    assert.equal(retryDelaySeconds(schedule, schedule.length + 1, 60), null, 'whatever the receiver asks for');
    assert.equal(retryDelaySeconds([], 1, null), null);
  });

  it('adds at most a fifth of jitter, and Retry-After up to a day', () => {
    const random = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: schedule.length }), random, fc.option(fc.nat(2_000_000)), (attempts, chance, retryAfter) => {
        const delay = schedule[attempts - 1] as number;
        const seconds = retryDelaySeconds(schedule, attempts, retryAfter, chance) as number;
        const asked = Math.min(retryAfter ?? 0, 86_400);
        assert.ok(seconds >= delay && seconds >= asked);
        assert.ok(seconds <= Math.max(delay * 1.2, asked));
      }),
    );
  });

  it('retries are spread over time', () => {
    const delays = Array.from({ length: 200 }, () => retryDelaySeconds([100], 1, null));
    assert.ok(new Set(delays).size > 100);
  });
});

describe('parseRetryAfter', () => {
  const now = new Date('2027-01-01T00:00:00.000Z');
  const cases: [string | undefined, number | null][] = [
    [undefined, null],
    ['', null],
    ['0', 0],
    ['120', 120],
    [' 7 ', 7],
    ['99999999999', 999_999_999],
    ['9'.repeat(20), 999_999_999],
    ['Fri, 01 Jan 2027 00:02:00 GMT', 120],
    ['Friday, 01-Jan-27 00:02:00 GMT', 120],
    ['Thu, 31 Dec 2026 23:59:59 GMT', null],
    ['Fri, 01 Jan 2027 00:00:00 GMT', null],
    ['soon', null],
    ['NaN', null],
  ];
  for (const [header, seconds] of cases) {
    it(`Retry-After ${JSON.stringify(header)} is read as ${seconds}`, () => assert.equal(parseRetryAfter(header, now), seconds));
  }

  it('returns a non-negative number or nothing for any header', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        const seconds = parseRetryAfter(header, now);
        assert.ok(seconds === null || (Number.isFinite(seconds) && seconds >= 0));
      }),
    );
  });

  for (const header of ['-5', '1.5', '1e3', '0x10']) {
    it(`Retry-After ${header} is ignored`, () => {
      const delay = retryDelaySeconds([10], 1, parseRetryAfter(header, now), 0);
      assert.equal(delay, 10);
    });
  }
});
