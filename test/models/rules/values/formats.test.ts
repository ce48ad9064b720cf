import assert from 'node:assert/strict';
import { isCountry } from '../../../../models/rules/values/country.js';
import { isEmail } from '../../../../models/rules/values/email.js';
import { digestMailToken, mailToken } from '../../../../models/rules/accounts/mail-token.js';
import { isPhone, phoneSpellings } from '../../../../models/rules/values/phone.js';
import { readTimestamp } from '../../../../models/rules/values/timestamp.js';
import { assertLinear } from '../../../support/measure/cpu-cost.js';

describe('isEmail', () => {
  const good = [
    'a@b.co',
    'first.last+tag@sub.example.com',
    "o'hara@example.org",
    'x@xn--bcher-kva.example',
    `${'a'.repeat(64)}@example.com`,
    `${'a'.repeat(64)}@${`${'b'.repeat(60)}.`.repeat(3)}cccccc`,
    'a@b.1.co',
  ];
  const bad = [
    '',
    'a',
    '@b.co',
    'a@',
    'a@b',
    'a b@c.de',
    'a@b..co',
    '.a@b.co',
    'a.@b.co',
    'a..b@c.de',
    'a@-b.co',
    'a@b.co\r\nBcc: x@y.zz',
    'a@b.co,c@d.ee',
  ];
  const worse = [
    'a@b@c.de',
    'a@127.0.0.1',
    'a@[127.0.0.1]',
    '<a@b.co>',
    'ä@b.co',
    `${'a'.repeat(65)}@b.co`,
    `a@${'b'.repeat(64)}.co`,
    `a@${'b.'.repeat(126)}co`,
    `${'a'.repeat(64)}@${`${'b'.repeat(60)}.`.repeat(3)}ccccccc`,
    'a@b.co.1',
  ];
  for (const text of good) it(`an e-mail address is accepted: ${text.slice(0, 80)}`, () => assert.equal(isEmail(text), true));
  for (const text of [...bad, ...worse])
    it(`an e-mail address is refused: ${JSON.stringify(text.slice(0, 80))}`, () => assert.equal(isEmail(text), false));
  it('a long hostile text is no e-mail address, found in proportion to its length', () => {
    const hostile = (length: number) => `${'a.'.repeat(length)}@${'a-'.repeat(length)}`;
    assert.equal(isEmail(hostile(50_000)), false);
    assertLinear(isEmail, hostile);
  });
});

describe('phoneSpellings', () => {
  for (const [one, other] of [
    ['+525512345678', '+5215512345678'],
    ['+541123456789', '+5491123456789'],
    ['+556187654321', '+5561987654321'],
  ] as const) {
    it(`a phone number can be written as ${one} and ${other}`, () => {
      assert.deepEqual(phoneSpellings(one), [one, other]);
      assert.deepEqual(phoneSpellings(other), [other, one]);
    });
  }
  for (const phone of ['+15551234567', '+556132345678', '+52155123456789'])
    it(`a phone number can be written in one way only: ${phone}`, () => assert.deepEqual(phoneSpellings(phone), [phone]));
});

describe('isPhone', () => {
  for (const text of ['+15551234567', '+4915112345678', '+123456789012345'])
    it(`a phone number is accepted: ${text}`, () => assert.equal(isPhone(text), true));
  const bad = [
    '',
    '+',
    '15551234567',
    '+05551234567',
    '+1234567890123456',
    '+1 555 123',
    '+1555abc',
    '+15551234567\n',
    '++1555',
    '＋15551234567',
    '+١٢٣٤٥',
  ];
  for (const text of bad) it(`a phone number is refused: ${JSON.stringify(text)}`, () => assert.equal(isPhone(text), false));
});

describe('isCountry', () => {
  it('a country is a code of ISO 3166 in capitals', () => {
    assert.deepEqual(['US', 'DE', 'GB', 'XK', 'UK', 'EU', 'ZZ', 'us', 'USA', ''].map(isCountry), [
      true,
      true,
      true,
      false,
      false,
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});

describe('readTimestamp', () => {
  const good: [string, string][] = [
    ['2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['1000-01-31', '1000-01-31T00:00:00.000Z'],
    ['2026-12-31T12:00+14:00', '2026-12-30T22:00:00.000Z'],
    ['2026-03-01T12:00+00:59', '2026-03-01T11:01:00.000Z'],
    ['2026-03-01T12:30', '2026-03-01T12:30:00.000Z'],
    ['2026-03-01T12:30:15Z', '2026-03-01T12:30:15.000Z'],
    ['2026-03-01T12:30:15.1239+01:30', '2026-03-01T11:00:15.123Z'],
    ['2026-03-01T00:30-0130', '2026-03-01T02:00:00.000Z'],
    ['2026-03-01T12:30:15+02', '2026-03-01T10:30:15.000Z'],
    ['2024-02-29T23:59:59,5Z', '2024-02-29T23:59:59.500Z'],
  ];
  it('a repeated or skipped hour is read by its offset', () => {
    const hours = (from: string, to: string) =>
      ((readTimestamp(to)?.at.getTime() ?? 0) - (readTimestamp(from)?.at.getTime() ?? 0)) / 3_600_000;
    assert.equal(hours('2026-10-25T02:30:00+02:00', '2026-10-25T02:30:00+01:00'), 1);
    assert.equal(hours('2026-03-29T01:30:00+01:00', '2026-03-29T03:30:00+02:00'), 1);
  });
  it('a timestamp is read as a day or a time, with a zone or without', () => {
    const formOf = (text: string) => [readTimestamp(text)?.isDay, readTimestamp(text)?.hasZone];
    assert.deepEqual(formOf('2026-03-01'), [true, false]);
    assert.deepEqual(formOf('2026-03-01T00:00'), [false, false]);
    for (const zone of ['Z', '+01', '-0130']) assert.deepEqual(formOf(`2026-03-01T12:00${zone}`), [false, true]);
  });
  for (const [text, expected] of good)
    it(`a timestamp is read: ${text}`, () => assert.equal(readTimestamp(text)?.at.toISOString(), expected));
  const bad =
    `tomorrow 2026 2026-3-1 2026-13-01 2026-00-10 2026-02-30 2025-02-29 2026-01-00 2026-01-32 0999-12-31 2026-01-01T24:00Z 2026-01-01T12:60Z
    2026-01-01T12:00:60Z 2026-01-01T12:00:00+15:00 2026-01-01T12:00:00+01:60 2026-W01-1 2026-001 20260101 1767225600 01/02/2026 0000-01-01
    2026-01-01Z 2026-01-01t12:00z 2026-01-01T12:00:00.Z +02026-01-01`.split(/\s+/);
  for (const text of ['', ' 2026-01-01', '2026-01-01 12:00', '2026-01-01T12:00:00Z\n', ...bad]) {
    it(`a timestamp is refused: ${JSON.stringify(text)}`, () => assert.equal(readTimestamp(text), null));
  }
});

describe('mailToken', () => {
  it('the token of a mail is the same for one id and key, and differs otherwise', () => {
    const token = mailToken('key', 'id');
    assert.equal(mailToken('key', 'id'), token);
    assert.match(token, /^[\w-]{43}$/);
    assert.notEqual(mailToken('key', 'other'), token);
    assert.notEqual(mailToken('other', 'id'), token);
    assert.equal(digestMailToken(token).length, 32);
  });
});
