import assert from 'node:assert/strict';
import { faultOfMetadata, metadataLimits } from '../../../../models/rules/values/metadata.js';

const inexactNumberText = 'must be between -9007199254740991 and 9007199254740991; send larger numbers as strings';
const faultOf = (value: object) => faultOfMetadata('metadata', value);
const refused = (field: string, what: string) => ({ field, message: `${field} ${what}` });
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));
const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });

describe('metadata', () => {
  it('metadata are accepted with texts, numbers, null and lists inside', () => {
    assert.equal(faultOf({ a: 'x', b: 1.5, c: null, d: [true, { e: 'ü😀' }], '': 0, f: Number.MIN_SAFE_INTEGER }), null);
  });

  it('metadata are refused beyond 50 keys', () => {
    assert.equal(faultOf(many(50)), null);
    assert.deepEqual(faultOf(many(51)), refused('metadata', 'must have at most 50 keys'));
  });

  it('metadata are refused beyond 4096 bytes of JSON', () => {
    const ofBytes = (bytes: number) => ({ a: 'ü'.repeat((bytes - 8) / 2) });
    assert.equal(faultOf(ofBytes(4096)), null);
    assert.deepEqual(faultOf(ofBytes(4098)), refused('metadata', 'must be at most 4096 bytes'));
  });

  it('metadata are refused beyond five levels, however deep and in whichever field', () => {
    assert.equal(faultOf(nested(5)), null);
    for (const value of [nested(6), nested(5_000), { a: 1, b: nested(5), c: {} }, { a: [[[[[]]]]] }])
      assert.deepEqual(faultOf(value), refused('metadata', 'must be at most 5 levels deep'));
  });

  const bad: [string, object, string, string][] = [
    ['a text that cannot be stored', { ok: 1, a: ['x', '\0'] }, 'metadata.a[1]', 'must be valid text'],
    ['half a character', { a: { b: '\ud800' } }, 'metadata.a.b', 'must be valid text'],
    ['an endless number', { a: Number.POSITIVE_INFINITY }, 'metadata.a', 'must be a number'],
    ['a number above 2^53 - 1', { a: [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1] }, 'metadata.a[1]', inexactNumberText],
    ['a number below -(2^53 - 1)', { a: -1e16 }, 'metadata.a', inexactNumberText],
    ['a key that cannot be stored', { a: { '\0': 1 } }, 'metadata.a', 'must be valid text'],
    ['a key of a prototype', JSON.parse('{"__proto__": 1}') as object, 'metadata', 'must not have a key __proto__'],
    ['a constructor', { a: [{ constructor: 1 }] }, 'metadata.a[0]', 'must not have a key constructor'],
    ['a prototype', { prototype: 1 }, 'metadata', 'must not have a key prototype'],
  ];
  for (const [what, value, field, fault] of bad)
    it(`metadata are refused with ${what}`, () => assert.deepEqual(faultOf(value), refused(field, fault)));

  it('the OpenAPI document names each key that is refused', () => {
    for (const key of ['__proto__', 'constructor', 'prototype']) assert.ok(metadataLimits.includes(`\`${key}\``), key);
  });
});
