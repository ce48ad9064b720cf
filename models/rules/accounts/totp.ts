/** Time-based one-time passwords (RFC 6238) with the usual parameters: SHA-1, six digits, thirty seconds. */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { isSameSecret } from '../values/same-secret.js';

const stepSeconds = 30;
/** How many steps before and after the present one are accepted, for clocks that differ (RFC 6238 §5.2). */
const drift = 1;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A new secret: 160 bits, as RFC 4226 recommends, in base32. */
export const generateTotpSecret = (): string => toBase32(randomBytes(20));

/** The content of the QR code for an authenticator. */
export function otpauthUrl(secret: string, account: string): string {
  const query = new URLSearchParams({ secret, issuer: 'Tidings', algorithm: 'SHA1', digits: '6', period: String(stepSeconds) });
  return `otpauth://totp/Tidings:${encodeURIComponent(account)}?${query.toString()}`;
}

/** The code of a time step. @param key the bytes of the secret */
export function codeAt(key: Buffer, step: number, digits = 6): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', key).update(counter).digest();
  const offset = (mac.at(-1) as number) & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/**
 * The time step of this code; null if it matches no step near the present one.
 * @param usedStep the newest step whose code was used. Codes of that step and of earlier ones are void
 */
export function stepOfCode(secret: string, code: string, at: Date, usedStep: number | null): number | null {
  const key = fromBase32(secret);
  const now = Math.floor(at.getTime() / 1000 / stepSeconds);
  let found: number | null = null;
  for (let step = now - drift; step <= now + drift; step += 1) {
    if (isSameSecret(codeAt(key, step), code) && (usedStep === null || step > usedStep)) found ??= step;
  }
  return found;
}

const codeLength = 25;
const groupLength = 5;

/**
 * Ten codes for a user who has lost the authenticator: 125 bits each, in five groups. With this many bits, a plain hash cannot be searched.
 * Codes of 50 bits, in two groups, were issued earlier. They stay valid.
 */
export const generateRecoveryCodes = (): string[] =>
  Array.from({ length: 10 }, () => grouped(toBase32(randomBytes(16)).slice(0, codeLength).toLowerCase()));

const grouped = (code: string): string => (code.match(new RegExp(`.{${groupLength}}`, 'g')) ?? []).join('-');

/** A code as typed, without spaces and dashes, in one letter case. */
export const plainCode = (code: string): string => code.replaceAll(/[\s-]/g, '').toLowerCase();

/** The hash under which a recovery code is stored. */
export const digestRecoveryCode = (workspaceId: string, code: string): Buffer =>
  createHash('sha256').update(`recovery-code:${workspaceId}:`).update(plainCode(code)).digest();

function toBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((character) => alphabet.indexOf(character).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
