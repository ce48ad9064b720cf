import assert from 'node:assert/strict';
import jwt from 'jsonwebtoken';
import { endpoints } from '../../../api/endpoints/index.js';
import { until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { openEventStream } from '../../support/network/event-stream.js';
import { kidOf } from '../kid-of.js';
import { goodBody, pathWith } from '../matrix/matrix-cases.js';
import { useApi } from '../use-api.js';
import { cookieOf, own, sessionPath, useConsoleSession } from './console-session.js';
import { owner, password } from './owner.js';
import { enrol } from './second-factor.js';

describe('the console session', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const { session, logIn, call } = useConsoleSession(app);
  const isValid = async (given = session.cookie) =>
    (await app.call('GET', '/api/v1/balance', { headers: { Cookie: given } })).status === 200;

  it('201 for a console login, with a cookie that pages cannot read and no token in the body', async () => {
    const answer = await logIn();
    assert.equal(answer.status, 201);
    assert.deepEqual(Object.keys(answer.body.data), ['workspace']);
    assert.equal(answer.body.data.workspace.id, session.me.workspaceId);
    const [pair = '', ...attributes] = (answer.headers.get('set-cookie') ?? '').split('; ');
    assert.match(pair, /^tidings_session=[\w-]+\.[\w-]+\.[\w-]+$/);
    assert.deepEqual(attributes, ['Path=/', 'Max-Age=604800', 'HttpOnly', 'SameSite=Strict']);
  });

  it('the console session takes the same path as a login: wrong passwords, lock, audit events', async () => {
    for (let tries = 0; tries < 5; tries += 1) {
      const { status, body } = await logIn({ password: 'wrong' });
      assert.deepEqual([status, body.error], [401, 'Invalid email or password']);
    }
    const locked = await logIn();
    assert.deepEqual([locked.status, locked.headers.get('set-cookie')], [429, null]);
    assert.equal((await session.me.logIn()).status, 429, 'the lock is that of the account');
    const types = await rows<{ type: string }>(app.deps.db, 'SELECT type FROM audit_events WHERE workspace_id = $1 ORDER BY at', [
      session.me.workspaceId,
    ]);
    assert.deepEqual(
      types.map(({ type }) => type),
      ['workspace.created', 'auth.login', 'auth.login', ...Array(5).fill('auth.login_failed')],
    );
  });

  it('401 code_required for a console login without the code of the second factor, 201 with it', async () => {
    const {
      recovery_codes: [code],
    } = await enrol(session.me);
    const refused = await logIn();
    assert.deepEqual([refused.status, refused.body.code, refused.headers.get('set-cookie')], [401, 'code_required', null]);
    assert.equal((await logIn({ code })).status, 201);
  });

  it('the console session acts on every operation, with all scopes', async () => {
    const ends = ['logOut', 'logOutAll', 'changePassword', 'closeWorkspace', 'deleteConsoleSession'];
    for (const item of endpoints.filter(({ id, auth }) => auth !== 'none' && auth !== 'provider' && !ends.includes(id))) {
      const body = item.body === undefined ? undefined : goodBody(item);
      const target = pathWith(item, session.me.workspaceId);
      const { status } = await call(item.method.toUpperCase(), target, body);
      assert.ok(![401, 403, 500].includes(status) || item.id === 'changeEmail', `${item.id}: ${status}`);
    }
  });

  it('the console session sends, reads and streams as its workspace', async () => {
    const stream = await openEventStream(`${app.url}/api/v1/stream`, { Cookie: session.cookie, ...own });
    const sms = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } };
    const sent = await call('POST', '/api/v1/messages/send', sms);
    assert.equal(sent.status, 201);
    const read = await call('GET', `/api/v1/messages/${sent.body.data.message.id}`);
    assert.equal(read.status, 200);
    await until(() => stream.events.length === 1, 'the event of the message');
    assert.equal((await call('DELETE', sessionPath)).status, 200);
    await until(() => stream.isOver, 'the end of the stream');
  });

  it('401 for a wrong key or token in a request that has the console session, too', async () => {
    const bad = { ...own, 'X-API-Key': 'tidings_bad' };
    assert.equal((await call('GET', '/api/v1/messages', undefined, bad)).status, 401);
    assert.equal((await call('GET', '/api/v1/api-keys', undefined, { ...own, Authorization: 'Bearer x' })).status, 401);
  });

  it('the console session works behind a proxy that asks for a password of its own', async () => {
    assert.equal((await call('GET', '/api/v1/api-keys', undefined, { ...own, Authorization: 'Basic eDp5' })).status, 200);
  });

  it('the console session is no Bearer token, and a Bearer token is no session', async () => {
    const [, token = ''] = session.cookie.split('=');
    assert.equal((await app.call('GET', '/api/v1/api-keys', { jwt: token })).status, 401);
    assert.equal(await isValid(`tidings_session=${session.me.jwt}`), false);
    assert.equal(await isValid('tidings_session=garbage'), false);
    assert.equal(await isValid('tidings_session='), false);
  });

  it('401 token_expired for an expired console session', async () => {
    const claims = { typ: 'console', tv: 0, sub: session.me.workspaceId, iss: 'tidings', aud: 'tidings-api' };
    const expired = jwt.sign(claims, app.deps.config.jwtSecret, { expiresIn: -5, keyid: kidOf(session.me.jwt) });
    session.cookie = `tidings_session=${expired}`;
    const { status, body } = await call('GET', '/api/v1/messages');
    assert.deepEqual([status, body.code], [401, 'token_expired']);
  });

  describe('ends', () => {
    const endings: [string, () => Promise<{ status: number }>][] = [
      ['by its DELETE', () => call('DELETE', sessionPath)],
      ['by a logout', () => call('POST', '/api/v1/auth/logout')],
      ['by a logout of all', () => session.me.call('POST', '/auth/logout-all')],
      ['by a new password', () => session.me.call('PUT', '/auth/password', { current_password: password, password: 'another horse' })],
      ['with the account', () => session.me.call('DELETE', '/auth/workspace', { current_password: password })],
    ];
    for (const [how, end] of endings) {
      it(`the console session ends ${how}`, async () => {
        assert.ok(await isValid());
        assert.equal((await end()).status, 200);
        assert.equal(await isValid(), false);
      });
    }

    it('a DELETE of the console session deletes the cookie, and another session stays', async () => {
      const other = cookieOf(await logIn());
      const answer = await call('DELETE', sessionPath);
      assert.match(answer.headers.get('set-cookie') ?? '', /^tidings_session=; Path=\/; Max-Age=0; HttpOnly; SameSite=Strict$/);
      assert.deepEqual([await isValid(), await isValid(other)], [false, true]);
      const told = await rows(app.deps.db, `SELECT 1 FROM audit_events WHERE workspace_id = $1 AND type = 'auth.logout'`, [
        session.me.workspaceId,
      ]);
      assert.equal(told.length, 1);
    });
  });

  it('a console login takes over no cookie that was there before', async () => {
    const planted = `tidings_session=${session.cookie.split('=')[1]}`;
    const answer = await logIn({}, { Cookie: planted });
    assert.notEqual(cookieOf(answer), planted);
    const idOf = (given: string) => (jwt.decode(given.split('=')[1] ?? '') as jwt.JwtPayload).jti;
    assert.notEqual(idOf(cookieOf(answer)), idOf(planted));
  });
});

describe('the console session off loopback', () => {
  const app = useApi({ env: { PUBLIC_URL: 'https://tidings.example.com', TRUSTED_PROXIES: '127.0.0.1' } });

  it('the console session off loopback has a Secure cookie that no other host can plant', async () => {
    const me = await owner(app);
    const answer = await app.call('POST', sessionPath, { body: { email: me.email, password } });
    const [pair = '', ...attributes] = (answer.headers.get('set-cookie') ?? '').split('; ');
    assert.match(pair, /^__Host-tidings_session=/);
    assert.deepEqual(attributes, ['Path=/', 'Max-Age=604800', 'HttpOnly', 'SameSite=Strict', 'Secure']);
    const status = async (cookie: string, headers: Record<string, string>) =>
      (await app.call('POST', '/api/v1/api-keys', { body: { name: 'k' }, headers: { Cookie: cookie, ...headers } })).status;
    assert.equal(await status(pair, { Origin: 'https://tidings.example.com' }), 201);
    assert.equal(await status(pair.replace('__Host-', ''), { Origin: 'https://tidings.example.com' }), 401);
    assert.equal(await status(pair, { Origin: 'https://www.example.com' }), 403);
  });
});

describe('the limits of the console session', () => {
  const app = useApi({ env: { RATE_LIMIT_JWT: '5/60', RATE_LIMIT_BULK: '2/60', RATE_LIMIT_AUTH: '3/60' } });

  it('the console session has the limits of the workspace: requests, bulk sends and logins', async () => {
    const me = await owner(app);
    const logIn = () => app.call('POST', sessionPath, { body: { email: me.email, password } });
    const [cookie = ''] = ((await logIn()).headers.get('set-cookie') ?? '').split(';');
    const other = ((await logIn()).headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    assert.deepEqual([(await logIn()).status, (await logIn()).status], [201, 429]);
    const bulk = { channel: 'sms', content: { text: 'x' }, recipients: ['+15551234567'] };
    const send = (given: string) => app.call('POST', '/api/v1/messages/bulk', { body: bulk, headers: { Cookie: given, ...own } });
    assert.deepEqual([(await send(cookie)).status, (await send(other)).status, (await send(cookie)).status], [201, 201, 429]);
    const read = async (given: string) => (await app.call('GET', '/api/v1/messages', { headers: { Cookie: given } })).status;
    const statuses = [];
    for (let index = 0; index < 6; index += 1) statuses.push(await read(index % 2 === 0 ? cookie : other));
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
  });
});
