/**
 * The format of API keys (docs/contract/accounts.md): `tidings_` + 32 random base62 characters + their CRC-32 in six base62
 * characters. With the checksum, scanners and this service recognize a mistyped key without a look-up.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

export const scopes = ['send_messages', 'read_messages', 'manage_contacts', 'manage_webhooks'] as const;
export type Scope = (typeof scopes)[number];

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const servicePrefix = 'tidings_';
const randomLength = 32;
const format = /^tidings_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

/** A new key with 190 bits of randomness. */
export function generateApiKey(): string {
  const random = randomBase62(randomLength);
  return servicePrefix + random + checksum(random);
}

/** Whether shape and checksum are right. Says nothing about whether the key exists. */
export function isWellFormedApiKey(key: string): boolean {
  const match = format.exec(key);
  return match !== null && checksum(match[1] as string) === match[2];
}

/** The keyed hash under which a key is stored. */
export const digestApiKey = (secretKey: string, key: string): Buffer =>
  createHmac('sha256', secretKey).update('api-key:').update(key).digest();

/** The part of a key that lists show. */
export const prefixOfApiKey = (key: string) => `${key.slice(0, servicePrefix.length + 4)}...`;

function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 = 4 × 62: with larger bytes, the first characters of the alphabet would be more frequent.
      if (byte < 248 && text.length < length) text += alphabet[byte % 62];
    }
  }
  return text;
}

function checksum(random: string): string {
  let value = crc32(random);
  let text = '';
  while (value > 0) {
    text = (alphabet[value % 62] as string) + text;
    value = Math.floor(value / 62);
  }
  return text.padStart(6, '0');
}
