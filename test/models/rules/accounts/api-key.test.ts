import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { digestApiKey, generateApiKey, isWellFormedApiKey, prefixOfApiKey, scopes } from '../../../../models/rules/accounts/api-key.js';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** CRC-32 bit by bit, as in RFC 1952. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function inBase62(value: number): string {
  const digits = Array.from({ length: 6 }, (_, index) => base62[Math.floor(value / 62 ** (5 - index)) % 62]);
  return digits.join('');
}

describe('API keys', () => {
  it('API keys are tidings_, 32 random characters and a checksum', () => {
    assert.equal(crc32('123456789'), 0xcbf43926, 'the check value of CRC-32');
    const keys = Array.from({ length: 500 }, generateApiKey);
    for (const key of keys) {
      assert.match(key, /^tidings_[0-9A-Za-z]{38}$/);
      assert.equal(key.slice(-6), inBase62(crc32(key.slice(8, 40))));
      assert.ok(isWellFormedApiKey(key));
    }
    assert.equal(new Set(keys).size, 500);
  });

  it('API keys use every character about equally often', () => {
    const counts = new Map([...base62].map((character) => [character, 0]));
    for (let index = 0; index < 4_000; index += 1)
      for (const character of generateApiKey().slice(8, 40)) counts.set(character, (counts.get(character) ?? 0) + 1);
    const expected = (4_000 * 32) / 62;
    // Chi-square with 61 degrees of freedom: above 130 once in a million runs; with `byte % 62` it is about 2,000.
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    assert.ok(chiSquare < 130, `chi-square ${chiSquare}`);
  });

  it('an API key with a wrong character or two swapped neighbours is not well-formed', () => {
    const key = generateApiKey();
    for (let index = 8; index < key.length; index += 1) {
      for (const character of base62) {
        if (character === key[index]) continue;
        assert.equal(isWellFormedApiKey(key.slice(0, index) + character + key.slice(index + 1)), false);
      }
      const swapped = key.slice(0, index - 1) + key[index] + key[index - 1] + key.slice(index + 1);
      if (swapped !== key) assert.equal(isWellFormedApiKey(swapped), false);
    }
  });

  it('a text that is no API key is not well-formed', () => {
    const key = generateApiKey();
    for (const text of [
      '',
      'tidings_',
      ` ${key}`,
      `${key} `,
      `${key}\n`,
      key.toUpperCase(),
      key.replace('tidings', 'Tidings'),
      key.slice(1),
      `${key}0`,
    ]) {
      assert.equal(isWellFormedApiKey(text), false, JSON.stringify(text));
    }
    fc.assert(fc.property(fc.string({ maxLength: 60 }), (text) => assert.equal(isWellFormedApiKey(text), false)));
  });

  it('API keys are stored as a keyed hash and shown by four characters', () => {
    const key = generateApiKey();
    assert.deepEqual(digestApiKey('pepper', key), createHmac('sha256', 'pepper').update(`api-key:${key}`).digest());
    assert.notDeepEqual(digestApiKey('pepper', key), digestApiKey('other', key));
    assert.equal(prefixOfApiKey(key), `${key.slice(0, 12)}...`);
  });

  it('API keys have the four scopes of the interface', () => {
    assert.deepEqual([...scopes], ['send_messages', 'read_messages', 'manage_contacts', 'manage_webhooks']);
  });
});
