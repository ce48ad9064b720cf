import assert from 'node:assert/strict';
import { mustBeVerified, readSignupPolicy, refusalOfSignup, signupPattern } from '../../../../models/rules/accounts/signup-policy.js';

const needsVerification = (setting: string) => mustBeVerified({ isSandboxOnly: true, signup: readSignupPolicy(setting) });
const codeOf = (setting: string, email: string) => refusalOfSignup(readSignupPolicy(setting), email)?.code;

describe('who may sign up', () => {
  it('everybody may sign up where sign-up is open', () => {
    assert.equal(codeOf('open', 'ann@example.com'), undefined);
    assert.equal(needsVerification('open'), false);
  });

  it('nobody may sign up where sign-up is closed', () => {
    assert.notEqual(codeOf('closed', 'ann@example.com'), undefined);
    assert.equal(needsVerification('closed'), false);
  });

  it('addresses of the named domains may sign up, and no others', () => {
    const setting = 'verified-domain:Example.com,example.org';
    for (const email of ['ann@example.com', 'ann@EXAMPLE.org']) assert.equal(codeOf(setting, email), undefined, email);
    for (const email of ['ann@sub.example.com', 'ann@badexample.com', 'ann@example.net', 'example.com@example.net'])
      assert.notEqual(codeOf(setting, email), undefined, email);
    assert.equal(needsVerification(setting), true);
  });

  it('with a real carrier, every address must be verified before its workspace sends', () => {
    for (const setting of ['open', 'closed']) assert.ok(mustBeVerified({ isSandboxOnly: false, signup: readSignupPolicy(setting) }));
  });

  const good = ['open', 'CLOSED', 'verified-domain:a.co', 'verified-domain:a-b.example.com,c.org', `verified-domain:${'a'.repeat(63)}.co`];
  const bad = ['', 'opened', 'reopen', 'verified-domain:', 'verified-domain:localhost', 'verified-domain:a.co,', 'verified-domain:a..co'];
  const worse = ['verified-domain:-a.co', 'verified-domain:a-.co', 'verified-domain:a.co b.co', `verified-domain:${'a'.repeat(64)}.co`];
  for (const setting of good) it(`the sign-up may be set to ${setting}`, () => assert.ok(signupPattern.test(setting)));
  for (const setting of [...bad, ...worse])
    it(`the sign-up must not be set to ${JSON.stringify(setting)}`, () => assert.equal(signupPattern.test(setting), false));
});
