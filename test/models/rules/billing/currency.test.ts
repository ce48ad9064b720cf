import assert from 'node:assert/strict';
import { decimalsOf, moneyText, readMoney } from '../../../../models/rules/billing/currency.js';

describe('currencies', () => {
  it('amounts have the decimals of the payment provider, in any case of the code', () => {
    const texts: [amount: number, currency: string, text: string][] = [
      [500, 'usd', '5.00 USD'],
      [500, 'jpy', '500 JPY'],
      [5120, 'KWD', '5.120 KWD'],
      // Intl shows these without decimals.
      [500, 'huf', '5.00 HUF'],
      [500, 'idr', '5.00 IDR'],
      [500, 'isk', '5.00 ISK'],
      [500, 'ugx', '5.00 UGX'],
      // Intl shows this one with three, and this one without.
      [500, 'iqd', '5.00 IQD'],
      [500, 'mga', '500 MGA'],
    ];
    for (const [amount, currency, text] of texts) {
      assert.equal(moneyText(amount, currency), text);
      assert.deepEqual(readMoney(text), { amount, currency: currency.toLowerCase() });
    }
  });

  it('missing decimals are zeros', () => {
    assert.deepEqual(readMoney('5 USD'), { amount: 500, currency: 'usd' });
    assert.deepEqual(readMoney('5.1eur'), { amount: 510, currency: 'eur' });
    assert.deepEqual([decimalsOf(''), readMoney(' 1 jpy ')], [2, { amount: 1, currency: 'jpy' }]);
  });

  for (const text of [
    '',
    '5',
    'USD',
    '0 USD',
    '0.00 USD',
    '5.001 USD',
    '1.5 JPY',
    '-5 USD',
    '5,00 USD',
    '1e3 USD',
    '5 DOLLARS',
    '1234567890123 USD',
  ])
    it(`the text "${text}" is no amount of money`, () => assert.equal(readMoney(text), null));
});
