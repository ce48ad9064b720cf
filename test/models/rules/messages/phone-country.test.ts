import assert from 'node:assert/strict';
import { faultOfCountry, isPossiblePhone } from '../../../../models/rules/messages/phone-country.js';

const countries: [string, string, string][] = [
  ['a number of Germany', '+4915112345678', 'DE'],
  ['a number of Canada, which shares +1', '+16135550123', 'CA'],
  ['a number of +1 that is in no numbering plan', '+15550001234', 'US'],
  ['a number of Kazakhstan, which shares +7', '+77011234567', 'KZ'],
  ['a number of +7 that is in no numbering plan', '+7000', 'RU'],
  ['a number of +39 that is in no numbering plan', '+3900', 'IT'],
  ['a number of +44 that is in no numbering plan', '+4400', 'GB'],
  ['a number of +47 that is in no numbering plan', '+4700', 'NO'],
  ['a number of +61 that is in no numbering plan', '+6100', 'AU'],
  ['a number of +212 that is in no numbering plan', '+21200', 'MA'],
  ['a number of +262 that is in no numbering plan', '+26200', 'RE'],
  ['a number of +290 that is in no numbering plan', '+29000', 'SH'],
  ['a number of +358 that is in no numbering plan', '+35800', 'FI'],
  ['a number of +590 that is in no numbering plan', '+59000', 'GP'],
  ['a number of +599 that is in no numbering plan', '+59900', 'CW'],
  ['a number of +49 that is in no numbering plan', '+4900', 'DE'],
  ['a satellite phone, by its calling code', '+881612345678', '+881'],
  ['a number without a calling code, by its first digits', '+2101234567', '+210'],
];

describe('the country of a phone number', () => {
  for (const [what, phone, country] of countries) {
    it(`the country of a phone number is ${country} for ${what}`, () => {
      assert.equal(faultOfCountry([country], phone), null);
      assert.equal(faultOfCountry(['XX'], phone), `Sending to ${country} is not allowed`);
    });
  }

  it('a country is refused when it is not in the list, and when the list is empty', () => {
    assert.equal(faultOfCountry(['US', 'DE'], '+4915112345678'), null);
    assert.equal(faultOfCountry([], '+4915112345678'), 'Sending to DE is not allowed');
  });
});

describe('isPossiblePhone', () => {
  for (const [phone, isPossible] of [
    ['+15551234567', true],
    ['+15005550001', true],
    ['+442071838750', true],
    ['+80012345678', true],
    ['+881612345678', true],
    ['+1555', false],
    ['+1555123456', false],
    ['+155512345678', false],
    ['+2101234567', false],
    ['+10', false],
  ] as const) {
    it(`the phone number ${phone} is ${isPossible ? '' : 'not '}possible`, () => assert.equal(isPossiblePhone(phone), isPossible));
  }
});
