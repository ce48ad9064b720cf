import assert from 'node:assert/strict';
import jwt from 'jsonwebtoken';
import { issueConsoleLink } from '../../../models/rules/accounts/console-link.js';
import { rows } from '../../support/database.js';
import { useApi } from '../use-api.js';
import { type Owner, owner } from './owner.js';

const path = '/console/session/link';
const invalid = 'Invalid or expired token';

describe('the link of a local start', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1', DEMO_RECEIVER: '127.0.0.1:1' } });
  let me: Owner;
  beforeEach(async () => {
    me = await owner(app);
  });
  const token = (email = me.email) => issueConsoleLink(app.deps.config.jwtSecret, email);
  const use = (given: string, headers: Record<string, string> = {}) => app.call('POST', path, { body: { token: given }, headers });
  const signed = (options: jwt.SignOptions, payload = {}) =>
    jwt.sign(payload, app.deps.config.jwtSecret, { issuer: 'tidings', subject: me.email, ...options });

  it('201 for the link of a local start, with a session of the workspace and an audit event', async () => {
    const { status, body, headers } = await use(token());
    assert.deepEqual([status, body.data.workspace.id], [201, me.workspaceId]);
    const [cookie = '', ...attributes] = (headers.get('set-cookie') ?? '').split('; ');
    assert.deepEqual(attributes, ['Path=/', 'Max-Age=604800', 'HttpOnly', 'SameSite=Strict']);
    const { status: read } = await app.call('GET', '/api/v1/balance', { headers: { Cookie: cookie } });
    assert.equal(read, 200);
    const logins = await rows(app.deps.db, `SELECT 1 FROM audit_events WHERE workspace_id = $1 AND type = 'auth.login'`, [me.workspaceId]);
    assert.equal(logins.length, 2, 'that of the test, and this one');
  });

  it('400 for a second use of the link of a local start, and for all but one of many at once', async () => {
    const one = token();
    const answers = await Promise.all(Array.from({ length: 5 }, () => use(one)));
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((one, other) => one - other),
      [201, 400, 400, 400, 400],
    );
    const { status, body } = await use(one);
    assert.deepEqual([status, body.error, body.hints.length], [400, invalid, 1]);
  });

  it('400 for the link of a local start if its token has expired, has another signature or another purpose', async () => {
    const audience = 'tidings-console-link';
    const id = '0198c5b1-0a10-4f3e-8b1d-000000000002';
    for (const given of [
      signed({ audience, expiresIn: -1, jwtid: id }),
      signed({ audience, expiresIn: 900 }),
      signed({ audience: 'tidings-api', expiresIn: 900, jwtid: id }),
      signed({ audience, expiresIn: 86_400, jwtid: id }, { iat: Math.floor(Date.now() / 1000) - 1000 }),
      issueConsoleLink('another-secret-another-secret-another', me.email),
      token('nobody@example.com'),
      me.jwt,
      'x',
    ]) {
      const { status, body, headers } = await use(given);
      assert.deepEqual([status, body.error, headers.get('set-cookie')], [400, invalid, null]);
    }
  });

  it('the link of a local start is no credential of the API', async () => {
    assert.equal((await app.call('GET', '/api/v1/balance', { jwt: token() })).status, 401);
    const headers = { Cookie: `tidings_session=${token()}` };
    assert.equal((await app.call('GET', '/api/v1/balance', { headers })).status, 401);
  });

  it('403 for the link of a local start from a page of another origin, which does not use it up', async () => {
    const one = token();
    assert.equal((await use(one, { 'Sec-Fetch-Site': 'cross-site' })).status, 403);
    assert.equal((await use(one, { 'Sec-Fetch-Site': 'same-origin' })).status, 201);
  });
});

describe('the link of a local start, elsewhere', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });

  it('400 for the link of a local start where no launcher runs the service', async () => {
    const me = await owner(app);
    const { status, body } = await app.call('POST', path, { body: { token: issueConsoleLink(app.deps.config.jwtSecret, me.email) } });
    assert.deepEqual([status, body.error], [400, invalid]);
  });
});
