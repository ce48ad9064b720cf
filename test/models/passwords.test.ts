import assert from 'node:assert/strict';
import { atOnceMax, hashPassword, ifPasswordFits } from '../../models/passwords.js';

describe('passwords', () => {
  it('passwords are stored as argon2id with the decided parameters', async () => {
    assert.match(await hashPassword('correct horse', 'a'), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('a password matches only its own hash', async () => {
    const account = { password_hash: await hashPassword('correct horse', 'a') };
    const find = async () => account;
    assert.equal(await ifPasswordFits(find, 'correct horse', 'a'), account);
    assert.equal(await ifPasswordFits(find, 'Correct horse', 'a'), null);
    assert.equal(await ifPasswordFits(async () => null, 'nobody has this password', 'a'), null);
  });

  it('passwords are checked in turn, and refused when too many wait', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 60 }, () => hashPassword('x', 'a')));
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 60 - 50 - atOnceMax);
    assert.match(await hashPassword('y', 'a'), /^\$argon2id/, 'and it is over');
  });
});
