import assert from 'node:assert/strict';
import jwt from 'jsonwebtoken';
import { issueConsoleLink, readConsoleLink } from '../../../../models/rules/accounts/console-link.js';
import { isUuid } from '../../../../models/rules/values/text.js';
import { assertAbout } from '../../../support/measure/times.js';

const secret = 's'.repeat(32);
const former = 'f'.repeat(32);
const audience = 'tidings-console-link';
const jwtid = '0198c5b1-0a10-4f3e-8b1d-000000000002';

describe('the token of a console link', () => {
  it('the token of a console link names the workspace, an id of its own and its end after 15 minutes', () => {
    const link = readConsoleLink([secret], issueConsoleLink(secret, 'ann@example.com'));
    assert.equal(link?.email, 'ann@example.com');
    assert.ok(isUuid(link?.id ?? ''));
    assertAbout(link?.expiresAt, Date.now() + 900_000);
    assert.notEqual(readConsoleLink([secret], issueConsoleLink(secret, 'ann@example.com'))?.id, link?.id);
  });

  it('a console link is read with a former secret too, and with no other', () => {
    const token = issueConsoleLink(former, 'ann@example.com');
    assert.equal(readConsoleLink([secret, former], token)?.email, 'ann@example.com');
    assert.equal(readConsoleLink([secret], token), null);
    assert.equal(readConsoleLink([], token), null);
  });

  const own: jwt.SignOptions = { issuer: 'tidings', audience, subject: 'ann@example.com', expiresIn: 900, jwtid };
  const wrong: [string, string | object, jwt.SignOptions][] = [
    ['of another audience', {}, { ...own, audience: 'tidings-api' }],
    ['of another issuer', {}, { ...own, issuer: 'other' }],
    ['that has expired', {}, { ...own, expiresIn: -1 }],
    ['older than 15 minutes', { iat: Math.floor(Date.now() / 1000) - 1000 }, { ...own, expiresIn: 86_400 }],
    ['without an id', {}, { issuer: 'tidings', audience, expiresIn: 900 }],
    ['signed by another algorithm', {}, { ...own, algorithm: 'HS384' }],
    ['without claims', 'text', {}],
  ];
  it('a console link is read when its token has audience, issuer, subject, expiry and id', () =>
    assert.equal(readConsoleLink([secret], jwt.sign({}, secret, own))?.id, jwtid));
  for (const [what, payload, options] of wrong)
    it(`a console link is refused when its token is one ${what}`, () =>
      assert.equal(readConsoleLink([secret], jwt.sign(payload, secret, options)), null));
  it('a console link is refused when its token is no JWT', () => assert.equal(readConsoleLink([secret], 'x'), null));
});
