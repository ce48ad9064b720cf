import assert from 'node:assert/strict';
import fc from 'fast-check';
import { defaultDisableAfterDays, defaultRetryDelays as schedule } from '../../../../models/settings/webhook-settings.js';
import { parseRetryAfter, retryDelaySeconds } from '../../../../models/rules/webhooks/retry.js';

describe('retryDelaySeconds', () => {
  it('the default retry schedule lasts at least 72 hours, and ends before its webhook is disabled', () => {
    const total = (random: number) =>
      schedule.reduce((sum, _, index) => sum + (retryDelaySeconds(schedule, index + 1, null, random) ?? 0), 0) / 3_600;
    assert.ok(total(0) >= 72, `${total(0)} h`);
    assert.ok(total(1) < defaultDisableAfterDays * 24, `${total(1)} h`);
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

  it('a delay has at most a fifth of jitter, and follows Retry-After up to a day', () => {
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
    ['Fri Jan  1 00:02:00 2027', 120],
    ['32.5', 33],
    ['1.5', 2],
    ['0.0', 0],
    ['32.', null],
    ['.5', null],
    ['-5', null],
    ['1e3', null],
    ['0x10', null],
    ['2032', 2032],
    ['120 seconds', null],
    ['2027-01-01T00:02:00Z', null],
    ['Fri, 01 Jan 2027 00:02:00', null],
    ['Fri, 01 Jan 2027 00:02:00 -0500', null],
    ['Fri, 01 Xyz 2027 00:02:00 GMT', null],
    ['Fri, 99 Jan 2027 00:02:00 GMT', null],
    ['1 Jan 2027', null],
    ['Thu, 31 Dec 2026 23:59:59 GMT', null],
    ['Fri, 01 Jan 2027 00:00:00 GMT', null],
    ['soon', null],
    ['NaN', null],
  ];
  for (const [header, seconds] of cases) {
    it(`Retry-After ${JSON.stringify(header)} is read as ${seconds}`, () => assert.equal(parseRetryAfter(header, now), seconds));
  }

  it('a Retry-After is read as a non-negative number or nothing', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        const seconds = parseRetryAfter(header, now);
        assert.ok(seconds === null || (Number.isFinite(seconds) && seconds >= 0));
      }),
    );
  });

  it('a Retry-After without a zone is read as UTC, whatever the zone of the process', () => {
    const zone = process.env.TZ;
    try {
      process.env.TZ = 'America/New_York';
      assert.equal(parseRetryAfter('Fri Jan  1 00:02:00 2027', now), 120);
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });
});
