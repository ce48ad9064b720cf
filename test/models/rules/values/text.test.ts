import assert from 'node:assert/strict';
import fc from 'fast-check';
import { countText, isStorable, isUuid } from '../../../../models/rules/values/text.js';

describe('isUuid', () => {
  it('a UUID is accepted in any letter case', () => {
    fc.assert(fc.property(fc.uuid(), (id) => assert.ok(isUuid(id) && isUuid(id.toUpperCase()))));
  });

  const id = '01890000-0000-7000-8000-000000000001';
  for (const text of [
    '',
    'null',
    id.slice(1),
    `${id}0`,
    ` ${id}`,
    `${id}\n`,
    `{${id}}`,
    id.replaceAll('-', ''),
    id.replace('1', 'g'),
    "' OR 1=1 --",
  ]) {
    it(`a text that is no UUID is refused: ${JSON.stringify(text)}`, () => assert.equal(isUuid(text), false));
  }
});

describe('isStorable', () => {
  for (const text of ['', 'a', 'Grüße 😀', '\uFFFD', '\u{10FFFF}', 'a\tb\r\n'])
    it(`a text can be stored: ${JSON.stringify(text)}`, () => assert.equal(isStorable(text), true));
  for (const text of ['\0', 'a\0b', '\uD800', 'a\uDC00', '\uDC00\uD800'])
    it(`a text cannot be stored: ${JSON.stringify(text)}`, () => assert.equal(isStorable(text), false));
});

describe('countText', () => {
  it('a count has the singular for one only, and separates thousands', () => {
    assert.deepEqual(
      [0, 0.5, 1, 2, 1000].map((count) => countText(count, 'credit')),
      ['0 credits', '0.5 credits', '1 credit', '2 credits', '1,000 credits'],
    );
  });
  it('a count takes the plural of a noun that has another ending', () => {
    assert.deepEqual(
      [1, 2].map((count) => countText(count, 'delivery', 'deliveries')),
      ['1 delivery', '2 deliveries'],
    );
  });
});
