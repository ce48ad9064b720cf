import assert from 'node:assert/strict';
import { digestOfClient, digestOfEmail } from '../../../../models/rules/accounts/login-digest.js';
import { mailToken, mailTokenLifetimeMs } from '../../../../models/rules/accounts/mail-token.js';
import { digestRecoveryCode, plainCode } from '../../../../models/rules/accounts/totp.js';

const hex = (bytes: Buffer) => bytes.toString('hex');

/** Stored digests must stay valid, so these were written down once. */
describe('digests of earlier versions stay valid', () => {
  for (const [what, digest, expected] of [
    ['an address', hex(digestOfEmail('key', 'ann@example.com')), 'e4b63bb89ef64a8c3730cb07a1382defd1d4efb55e48e5b5d06c296dd9d328b6'],
    [
      'an address after a reset',
      hex(digestOfEmail('key', 'ann@example.com', true)),
      '06911df78af1b9b93b1814c45cd8c3bc19e8dc8a02122caeb7988caa8ac0bebd',
    ],
    ['a network', hex(digestOfClient('key', '203.0.113.0/24')), 'f8c5a27dbcb075389ad1551ac34fc4efc4e82fc073c8ed6efb679b87f0e248ba'],
    ['a recovery code', hex(digestRecoveryCode('w1', 'abcde-fghij')), '23709d75f7b282f54360ed6a9747bdc5d370a696be1466209ad42a929d944164'],
    ['the token of a mail', mailToken('key', 'id'), '37ISmQz8kjcNd71rlHV71N_qwoQ_VDoMQs6VYsq8paE'],
  ] as const)
    it(`digests of earlier versions stay valid: ${what}`, () => assert.equal(digest, expected));

  it('digests are the same for an address in any letter case and a code in any spelling', () => {
    assert.deepEqual(digestOfEmail('key', 'Ann@Example.COM'), digestOfEmail('key', 'ann@example.com'));
    assert.equal(plainCode(' ABCDE - fgh ij\n'), 'abcdefghij');
  });
});

it('a link in a mail is valid for an hour if it resets a password, otherwise for a day', () => {
  assert.deepEqual(mailTokenLifetimeMs, { verify: 86_400_000, reset: 3_600_000, change_email: 86_400_000 });
});
