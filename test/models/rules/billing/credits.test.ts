import assert from 'node:assert/strict';
import fc from 'fast-check';
import { codePoints } from '../../../../models/rules/values/text.js';
import { formatCredits, priceOf, toCredits, toThousandths } from '../../../../models/rules/billing/credits.js';

const unicode = fc.string({ unit: 'binary', maxLength: 700 });

describe('priceOf', () => {
  const cases: [string, string, number][] = [
    ['an empty text', '', 1_000],
    ['one character', 'a', 1_000],
    ['160 characters', 'a'.repeat(160), 1_000],
    ['161 characters', 'a'.repeat(161), 2_000],
    ['320 characters', 'a'.repeat(320), 2_000],
    ['321 characters', 'a'.repeat(321), 3_000],
    ['1,600 characters', 'a'.repeat(1_600), 10_000],
    ['160 emoji', '😀'.repeat(160), 1_000],
    ['161 emoji', '😀'.repeat(161), 2_000],
    ['80 family emoji of several code points', '👨‍👩‍👧'.repeat(80), 3_000],
  ];
  for (const [what, text, price] of cases) {
    it(`the price is ${price / 1000} credits for an SMS of ${what}`, () => assert.equal(priceOf('sms', text), price));
  }

  it('the price is the same for WhatsApp messages and e-mails of any length', () => {
    for (const text of ['', 'a', 'a'.repeat(1_600)]) assert.deepEqual([priceOf('whatsapp', text), priceOf('email', text)], [500, 100]);
  });

  it('the price never falls when a text grows', () => {
    fc.assert(
      fc.property(unicode, unicode, (text, more) => {
        assert.equal(codePoints(text), Array.from(text).length);
        assert.equal(priceOf('sms', text), Math.max(1, Math.ceil(Array.from(text).length / 160)) * 1_000);
        assert.ok(priceOf('sms', text + more) >= priceOf('sms', text));
      }),
    );
  });
});

describe('formatCredits', () => {
  for (const [thousandths, text] of [
    [0, '0'],
    [1, '0.001'],
    [100, '0.1'],
    [500, '0.5'],
    [1_000, '1'],
    [12_300, '12.3'],
    [-1_500, '-1.5'],
    [999_999_999_999, '999999999.999'],
  ] as const) {
    it(`credits of ${thousandths} thousandths are printed as ${text}`, () => assert.equal(formatCredits(thousandths), text));
  }

  it('credits are printed without trailing zeros for any amount', () => {
    fc.assert(
      fc.property(
        fc.maxSafeInteger().filter((n) => Math.abs(n) < 1e15),
        (thousandths) => {
          const sign = thousandths < 0 ? '-' : '';
          const digits = String(Math.abs(thousandths)).padStart(4, '0');
          const expected = `${sign}${digits.slice(0, -3)}.${digits.slice(-3)}`.replace(/\.?0+$/, (tail) =>
            tail.startsWith('.') ? '' : tail.replace(/0+$/, ''),
          );
          assert.equal(formatCredits(thousandths), expected);
          assert.equal(JSON.stringify(toCredits(thousandths)), thousandths === 0 ? '0' : expected);
        },
      ),
      { examples: [[0], [1], [-1], [10], [100], [1_000], [10_000], [123_456_789_012_345]] },
    );
  });

  it('credits with three decimals are whole thousandths', () => {
    for (const thousandths of [0, 1, 1_001, 1_005, 8_115, 999_999_999_999])
      assert.equal(toThousandths(toCredits(thousandths)), thousandths);
  });

  it('credits of any sum of prices are printed exactly', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('sms' as const, 'whatsapp' as const, 'email' as const), { maxLength: 200 }), (list) => {
        const sum = list.reduce((total, channel) => total + priceOf(channel, 'x'), 0);
        const tenths = list.reduce((total, channel) => total + { sms: 10, whatsapp: 5, email: 1 }[channel], 0);
        assert.equal(formatCredits(sum), String(tenths / 10));
      }),
    );
  });
});
