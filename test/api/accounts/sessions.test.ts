import assert from 'node:assert/strict';
import jwt from 'jsonwebtoken';
import { v7 as uuidv7 } from 'uuid';
import { issueToken } from '../../../api/auth/tokens.js';
import { rows } from '../../support/database.js';
import { kidOf } from '../kid-of.js';
import { useApi } from '../use-api.js';
import { type Owner, owner, password } from './owner.js';

const old = 'former-jwt-secret-former-jwt-secret-1';

describe('sessions', () => {
  const app = useApi({ env: () => ({ TRUSTED_PROXIES: '127.0.0.1', JWT_SECRETS_OLD: `${'x'.repeat(40)},${old}` }) });
  let me: Owner;
  beforeEach(async () => {
    me = await owner(app);
  });

  const statusWith = async (token: string) => (await app.call('GET', '/api/v1/api-keys', { jwt: token })).status;
  const audited = async () =>
    (await rows<{ type: string }>(app.deps.db, 'SELECT type FROM audit_events WHERE workspace_id = $1 ORDER BY at', [me.workspaceId])).map(
      ({ type }) => type,
    );

  it('200 for a logout ends this JWT and no other', async () => {
    const other: string = (await me.logIn()).body.data.token;
    const { status, body } = await me.call('POST', '/auth/logout');
    assert.deepEqual([status, Object.keys(body.data)], [200, ['message']]);
    const refused = await me.call('GET', '/api-keys');
    assert.deepEqual([refused.status, refused.body.error, refused.body.code], [401, 'Invalid or expired token', 'unauthorized']);
    assert.equal((await me.call('POST', '/auth/logout')).status, 401);
    assert.equal(await statusWith(other), 200);
    assert.deepEqual(await audited(), ['workspace.created', 'auth.login', 'auth.login', 'auth.logout']);
  });
  it('200 for a logout of all ends every JWT, and a login makes a new one', async () => {
    const other: string = (await me.logIn()).body.data.token;
    assert.equal((await me.call('POST', '/auth/logout-all')).status, 200);
    assert.deepEqual([await statusWith(me.jwt), await statusWith(other)], [401, 401]);
    assert.equal(await statusWith((await me.logIn()).body.data.token), 200);
  });

  describe('a JWT', () => {
    const claims = () => ({ typ: 'access', tv: 0, sub: me.workspaceId, jti: uuidv7(), iss: 'tidings', aud: 'tidings-api' });
    it('200 for a JWT that names a former secret and is signed with it', async () => {
      assert.match(kidOf(me.jwt), /^[0-9a-f]{16}$/);
      assert.equal(await statusWith(issueToken(old, { id: me.workspaceId, token_version: 0 }, 'access').token), 200);
      assert.equal(await statusWith(issueToken('y'.repeat(40), { id: me.workspaceId, token_version: 0 }, 'access').token), 401);
    });
    it('200 for a JWT that names no secret and is signed with the present or a former one', async () => {
      const { jwtSecret } = app.deps.config;
      for (const secret of [jwtSecret, old]) assert.equal(await statusWith(jwt.sign(claims(), secret, { expiresIn: 60 })), 200);
      assert.equal(await statusWith(jwt.sign(claims(), 'y'.repeat(40), { expiresIn: 60 })), 401);
      const expired = await app.call('GET', '/api/v1/api-keys', { jwt: jwt.sign(claims(), jwtSecret, { expiresIn: -5 }) });
      assert.deepEqual([expired.status, expired.body.code], [401, 'token_expired']);
    });
    it('401 for a JWT without an id', async () => {
      const token = jwt.sign({ ...claims(), jti: undefined }, app.deps.config.jwtSecret, { expiresIn: 60, keyid: kidOf(me.jwt) });
      assert.equal(await statusWith(token), 401);
    });
    it('401 for a JWT that names one secret and is signed with another', async () => {
      const keyid = kidOf(me.jwt);
      assert.equal(await statusWith(jwt.sign(claims(), old, { expiresIn: 60, keyid })), 401);
      assert.equal(await statusWith(jwt.sign(claims(), old, { expiresIn: 60, keyid: 'unknown' })), 401);
    });
    it('401 for a JWT without an expiry', async () => {
      const { jwtSecret } = app.deps.config;
      const answer = await app.call('GET', '/api/v1/api-keys', { jwt: jwt.sign(claims(), jwtSecret, { keyid: kidOf(me.jwt) }) });
      assert.deepEqual([answer.status, answer.body.code], [401, 'unauthorized']);
    });
    it('401 token_expired for a JWT after its expiry, also with a former secret', async () => {
      const keyid = kidOf(issueToken(old, { id: me.workspaceId, token_version: 0 }, 'access').token);
      const answer = await app.call('GET', '/api/v1/api-keys', { jwt: jwt.sign(claims(), old, { expiresIn: -5, keyid }) });
      assert.deepEqual([answer.status, answer.body.code], [401, 'token_expired']);
    });
  });

  describe('PUT /auth/password', () => {
    const change = (current_password: string, wanted: string) => me.call('PUT', '/auth/password', { current_password, password: wanted });
    it('200 for a change of the password, which ends every JWT and mails the owner', async () => {
      assert.equal((await change(password, 'another horse')).status, 200);
      assert.equal(await statusWith(me.jwt), 401);
      assert.deepEqual([(await me.logIn()).status, (await me.logIn('another horse')).status], [401, 200]);
      assert.ok((await me.mails()).includes('password_changed'));
      assert.ok((await audited()).includes('auth.password_changed'));
    });
    it('400 for a reset with a token that was mailed before the password was changed, and the new password stays', async () => {
      await app.call('POST', '/api/v1/auth/forgot-password', { body: { email: me.email } });
      const token = await me.token('reset_password');
      await change(password, 'another horse');
      const reset = await app.call('POST', '/api/v1/auth/reset-password', { body: { token, password: 'third horse!' } });
      assert.deepEqual([reset.status, reset.body.error], [400, 'Invalid or expired token']);
      assert.equal((await me.logIn('another horse')).status, 200);
    });
    it('401 for a change of the password with a wrong current one, and 429 after five', async () => {
      const statuses: number[] = [];
      for (let time = 1; time <= 7; time += 1) statuses.push((await change('wrong horse', 'another horse')).status);
      assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429]);
      assert.equal(await statusWith(me.jwt), 200);
    });
    const refused: [string, string][] = [
      ['12345678', 'Password is too common'],
      ['PassWord1', 'Password is too common'],
      ['Tidings-2026', 'Password is too common'],
      ['short', 'Password must be at least 8 characters'],
      ['x'.repeat(129), 'Password must be at most 128 characters'],
    ];
    for (const [wanted, text] of refused) {
      it(`a change of the password to ${wanted.slice(0, 12)} gets 400 ${text}`, async () => {
        const { status, body } = await change(password, wanted);
        assert.deepEqual([status, body.error, body.details[0].field], [400, text, 'password']);
      });
    }
    it('200 for one of two changes of the password at once, and 401 for the other', async () => {
      const answers = await Promise.all([change(password, 'another horse'), change(password, 'third horse!')]);
      assert.deepEqual(
        answers.map(({ status }) => status).toSorted((one, other) => one - other),
        [200, 401],
      );
    });
  });

  const text = 'Password is too common';
  it('400 for a common password at signup and reset', async () => {
    const body = { email: 'common@example.com', password: 'qwertyuiop', company_name: 'x' };
    const signup = await app.call('POST', '/api/v1/auth/signup', { body });
    assert.deepEqual([signup.status, signup.body.error], [400, text]);
    const reset = await app.call('POST', '/api/v1/auth/reset-password', { body: { token: 'x', password: 'iloveyou' } });
    assert.deepEqual([reset.status, reset.body.error], [400, text]);
  });
  it('400 for a password of words of the account at signup and reset, and the token stays valid', async () => {
    const body = { email: 'grace.hopper@example.com', company_name: 'Analytical Engines Ltd.' };
    for (const wanted of ['Grace.Hopper@example.com', 'grace.hopper', 'analytical engines ltd.', 'TIDINGS tidings!'])
      assert.equal((await app.call('POST', '/api/v1/auth/signup', { body: { ...body, password: wanted } })).body.error, text);
    await app.call('POST', '/api/v1/auth/forgot-password', { body: { email: me.email } });
    const token = await me.token('reset_password');
    const use = (wanted: string) => app.call('POST', '/api/v1/auth/reset-password', { body: { token, password: wanted } });
    const refused = await use(me.email.toUpperCase());
    assert.deepEqual([refused.status, refused.body.error, refused.body.details[0].field], [400, text, 'password']);
    assert.equal((await use('another horse')).status, 200);
  });
});
