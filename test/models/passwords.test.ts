import assert from 'node:assert/strict';
import { hashPassword, passwordFits } from '../../models/passwords.js';

describe('passwords', () => {
  it('are stored as argon2id with the parameters of the decision', async () => {
    assert.match(await hashPassword('correct horse'), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('fit only their own hash', async () => {
    const stored = await hashPassword('correct horse');
    assert.equal(await passwordFits(stored, 'correct horse'), true);
    assert.equal(await passwordFits(stored, 'Correct horse'), false);
    assert.equal(await passwordFits(null, 'nobody has this password'), false);
  });

  it('are served in turn, and refused when too many wait', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 60 }, () => hashPassword('x')));
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 8); // 2 at work, 50 waiting
    assert.equal(await passwordFits(await hashPassword('y'), 'y'), true);
  });
});
