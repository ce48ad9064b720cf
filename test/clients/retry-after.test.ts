import assert from 'node:assert/strict';
import { errorOf } from '../../clients/typescript/client/errors.js';

const secondsIn = async (header: string) =>
  (await errorOf(new Response('', { status: 503, headers: { 'Retry-After': header } }))).retryAfterSeconds;

describe('Retry-After of the TypeScript client', () => {
  it('Retry-After is read as a number of seconds', async () => {
    assert.deepEqual([await secondsIn('7'), await secondsIn('32.5'), await secondsIn('0')], [7, 32.5, 0]);
  });

  for (const [form, date] of [
    ['IMF-fixdate', 'Fri, 01 Jan 2027 00:02:00 GMT'],
    ['RFC 850', 'Friday, 01-Jan-27 00:02:00 GMT'],
    ['asctime', 'Fri Jan  1 00:02:00 2027'],
  ] as const) {
    it(`Retry-After is read as a date of HTTP in UTC, also in another zone: ${form}`, async () => {
      const { TZ } = process.env;
      const [{ now }, at] = [Date, Date.UTC(2027, 0, 1)];
      try {
        process.env.TZ = 'America/New_York';
        Date.now = () => at;
        assert.equal(await secondsIn(date), 120);
      } finally {
        Date.now = now;
        if (TZ === undefined) delete process.env.TZ;
        else process.env.TZ = TZ;
      }
    });
  }

  it('Retry-After is 0 for a date in the past', async () => assert.equal(await secondsIn('Fri, 01 Jan 2021 00:02:00 GMT'), 0));

  for (const other of ['soon', '-5', '1e3', '32.', '2032-05-01', '1 Jan 2032', 'Thu, 01 Xyz 2032 00:02:00 GMT']) {
    it(`Retry-After is ignored if it is neither a number nor a date: ${other}`, async () => assert.equal(await secondsIn(other), null));
  }
});
