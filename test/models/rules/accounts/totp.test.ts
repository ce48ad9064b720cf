import assert from 'node:assert/strict';
import { codeAt, generateRecoveryCodes, generateTotpSecret, otpauthUrl, stepOfCode } from '../../../../models/rules/accounts/totp.js';

// RFC 6238, appendix B, SHA-1: the secret is these twenty bytes, the codes have eight digits.
const secret = Buffer.from('12345678901234567890');
const inBase32 = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const vectors: [seconds: number, code: string][] = [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
];

describe('TOTP', () => {
  for (const [seconds, code] of vectors) {
    it(`the TOTP code is ${code} at ${seconds} s`, () => {
      assert.equal(codeAt(secret, Math.floor(seconds / 30), 8), code);
      assert.equal(stepOfCode(inBase32, code.slice(2), new Date(seconds * 1000), null), Math.floor(seconds / 30));
    });
  }
  it('a TOTP code of a neighbouring step is accepted, and no other one', () => {
    const at = new Date(1_234_567_890_000);
    const now = Math.floor(at.getTime() / 30_000);
    const steps = [-2, -1, 0, 1, 2].map((offset) => stepOfCode(inBase32, codeAt(secret, now + offset), at, null));
    assert.deepEqual(steps, [null, now - 1, now, now + 1, null]);
  });
  it('a TOTP code of a used or an earlier step is refused', () => {
    const at = new Date(1_234_567_890_000);
    const now = Math.floor(at.getTime() / 30_000);
    assert.equal(stepOfCode(inBase32, codeAt(secret, now), at, now), null);
    assert.equal(stepOfCode(inBase32, codeAt(secret, now - 1), at, now), null);
    assert.equal(stepOfCode(inBase32, codeAt(secret, now + 1), at, now), now + 1);
  });
  it('a text that is no TOTP code is refused', () => {
    for (const code of ['', '0', 'abcdef', '1234567', '٠١٢٣٤٥']) assert.equal(stepOfCode(inBase32, code, new Date(59_000), null), null);
  });
  it('a TOTP secret has 160 bits, and ten recovery codes all differ', () => {
    assert.match(generateTotpSecret(), /^[A-Z2-7]{32}$/);
    assert.notEqual(generateTotpSecret(), generateTotpSecret());
    const codes = generateRecoveryCodes();
    for (const code of codes) assert.match(code, /^[a-z2-7]{5}(-[a-z2-7]{5}){4}$/);
    assert.equal(new Set(codes).size, 10);
  });
  it('the name of the account is escaped in the URL of a TOTP secret', () => {
    assert.ok(otpauthUrl(inBase32, 'a&b=c@x.test').startsWith('otpauth://totp/Tidings:a%26b%3Dc%40x.test?secret='));
    assert.deepEqual(Object.fromEntries(new URL(otpauthUrl(inBase32, 'x')).searchParams), {
      secret: inBase32,
      issuer: 'Tidings',
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    });
  });
});
