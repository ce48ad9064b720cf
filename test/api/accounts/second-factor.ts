/** An authenticator app. */
import assert from 'node:assert/strict';
import { codeAt } from '../../../models/rules/accounts/totp.js';
import type { Owner } from './owner.js';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The code that the app shows. @param offset periods of 30 seconds from now: with 0 or 1 it stays valid for 30 seconds */
export function codeOf(secret: string, offset = 0): string {
  const bits = [...secret].map((character) => alphabet.indexOf(character).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  return codeAt(key, Math.floor(Date.now() / 30_000) + offset);
}

/** Enables a second factor. @returns a recovery code */
export async function enrol(me: Owner): Promise<string> {
  const { body } = await me.call('POST', '/auth/totp');
  const confirmed = await me.call('POST', '/auth/totp/confirm', { code: codeOf(body.data.secret) });
  assert.equal(confirmed.status, 200);
  return body.data.recovery_codes[0];
}
