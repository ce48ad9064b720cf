import assert from 'node:assert/strict';
import { hash } from '@node-rs/argon2';
import { accountWithPassword, concurrentHashesMax, hashPassword } from '../../models/passwords.js';

describe('passwords', () => {
  it('passwords are stored as argon2id with the decided parameters', async () => {
    assert.match(await hashPassword('correct horse', 'a'), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('a password matches only its own hash', async () => {
    const account = { password_hash: await hashPassword('correct horse', 'a') };
    const find = async () => account;
    assert.equal(await accountWithPassword(find, 'correct horse', 'a'), account);
    assert.equal(await accountWithPassword(find, 'Correct horse', 'a'), null);
    assert.equal(await accountWithPassword(async () => null, 'nobody has this password', 'a'), null);
  });

  const composed = 'Schlüsselwörter'.normalize('NFC');
  const decomposed = composed.normalize('NFD');

  it('a password with accents matches in each Unicode form', async () => {
    for (const stored of [composed, decomposed]) {
      const account = { password_hash: await hashPassword(stored, 'a') };
      for (const given of [composed, decomposed]) assert.equal(await accountWithPassword(async () => account, given, 'a'), account);
      assert.equal(await accountWithPassword(async () => account, 'Schlusselworter', 'a'), null);
    }
  });

  it('a password that was hashed as it came, before there was one form, still matches', async () => {
    const account = { password_hash: await hash(decomposed) };
    assert.equal(await accountWithPassword(async () => account, decomposed, 'a'), account);
    assert.equal(await accountWithPassword(async () => account, `${decomposed}x`, 'a'), null);
  });

  it('passwords are checked in turn, and refused when too many wait', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 60 }, () => hashPassword('x', 'a')));
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 60 - 50 - concurrentHashesMax);
    assert.match(await hashPassword('y', 'a'), /^\$argon2id/, 'and it is over');
  });
});
