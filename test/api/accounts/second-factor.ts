/** An authenticator app. */
import assert from 'node:assert/strict';
import { codeAt } from '../../../models/rules/accounts/totp.js';
import type { Owner } from './owner.js';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The code that the app shows. @param offset periods of 30 seconds from now. The codes of 0 and 1 stay valid for at least 30 seconds */
export function codeOf(secret: string, offset = 0): string {
  const bits = [...secret].map((character) => alphabet.indexOf(character).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  return codeAt(key, Math.floor(Date.now() / 30_000) + offset);
}

/** A code that is valid in no period near the present one. */
export function wrongCode(secret: string): string {
  const near = new Set([-2, -1, 0, 1, 2, 3].map((offset) => codeOf(secret, offset)));
  return ['000000', '111111', '222222', '333333', '444444', '555555', '666666'].find((code) => !near.has(code)) ?? assert.fail();
}

export interface SecondFactor {
  secret: string;
  otpauth_url: string;
  recovery_codes: string[];
}

/** A new second factor, which no code has confirmed yet. */
export async function setUp(me: Owner): Promise<SecondFactor> {
  const { status, body } = await me.call('POST', '/auth/totp');
  assert.equal(status, 200);
  return body.data;
}

/** Enables a second factor with its present code. */
export async function enrol(me: Owner): Promise<SecondFactor> {
  const secondFactor = await setUp(me);
  const confirmed = await me.call('POST', '/auth/totp/confirm', { code: codeOf(secondFactor.secret) });
  assert.equal(confirmed.status, 200);
  return secondFactor;
}
