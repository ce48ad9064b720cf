import assert from 'node:assert/strict';
import { rows } from '../../support/database.js';
import type { TestApp } from '../start-app.js';
import { useApiStarts } from '../use-api.js';
import { owner, password } from './owner.js';

describe('limits under /auth', () => {
  const startApi = useApiStarts();
  let app: TestApp;

  const logIn = async (address: string, body: object = {}) =>
    (await app.call('POST', '/api/v1/auth/login', { body, headers: { 'X-Forwarded-For': address } })).status;

  it('429 under /auth for an IPv6 /64, and for a /48 at four times the limit', async () => {
    app = await startApi({ TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_AUTH: '2/900' });
    const of64 = [await logIn('2001:db8:1:1::1'), await logIn('2001:db8:1:1::2'), await logIn('2001:db8:1:1::3')];
    assert.deepEqual(of64, [400, 400, 429]);
    const of48: number[] = [];
    for (let network = 2; network <= 9; network += 1) of48.push(await logIn(`2001:db8:1:${network}::1`));
    assert.deepEqual(of48, [400, 400, 400, 400, 400, 400, 429, 429]);
    assert.equal(await logIn('2001:db8:2:1::1'), 400);
    assert.equal(await logIn('203.0.113.1'), 400);
  });
  it('429 for logins of unknown clients above the common limit, and 200 for a known client', async () => {
    app = await startApi({ TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_LOGIN: '5/900' });
    const me = await owner(app); // a signup and a login
    const statuses: number[] = [];
    for (let number = 1; number <= 5; number += 1)
      statuses.push(await logIn(`203.0.113.${number}`, { email: `nobody${number}@example.com`, password }));
    assert.deepEqual(statuses, [401, 401, 401, 429, 429]);
    assert.equal((await me.logIn()).status, 200);
    assert.equal((await me.logIn(password, {}, '203.0.113.9')).status, 429);
  });
  it('429 under /auth for a JWT above the limit of its workspace, and none for another one at the same address', async () => {
    app = await startApi({ RATE_LIMIT_AUTH: '1000/900', RATE_LIMIT_WORKSPACE: '3/60' });
    const [one, other] = [await app.account(), await app.account()];
    const fail = async (jwt: string) => (await app.call('POST', '/api/v1/auth/totp/confirm', { jwt, body: { code: '000000' } })).status;
    assert.equal(await fail(one.jwt), 409);
    for (let time = 1; time <= 3; time += 1) assert.equal(await fail(other.jwt), 409);
    assert.equal(await fail(other.jwt), 429);
    assert.equal(await fail(one.jwt), 409, 'the requests of the other one do not count');
  });
  it('200 for a JWT while a logged-out one gets 429 at another address', async () => {
    app = await startApi({ TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_JWT: '5/60', RATE_LIMIT_API: '5/60' });
    const me = await owner(app);
    const jwt: string = (await me.logIn()).body.data.token;
    assert.equal((await me.call('POST', '/auth/logout')).status, 200);
    const headers = { 'X-Forwarded-For': '203.0.113.1' };
    const ended: number[] = [];
    for (let time = 1; time <= 6; time += 1) ended.push((await me.call('GET', '/workspace', undefined, { headers })).status);
    assert.deepEqual(ended, [401, 401, 401, 401, 401, 429]);
    const { status } = await app.call('GET', '/api/v1/workspace', { jwt, headers: { 'X-Forwarded-For': '203.0.113.2' } });
    assert.equal(status, 200);
  });
  it('429 without a look-up for a logged-out JWT that is used on, from any address', async () => {
    app = await startApi({ TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_JWT: '50/60', RATE_LIMIT_API: '5/60' });
    const me = await owner(app);
    assert.equal((await me.call('POST', '/auth/logout')).status, 200);
    const use = async (address: string) =>
      (await me.call('GET', '/workspace', undefined, { headers: { 'X-Forwarded-For': address } })).status;
    for (let number = 1; number <= 5; number += 1) assert.equal(await use(`203.0.113.${number}`), 401);
    await rows(app.deps.db, 'DELETE FROM revoked_tokens'); // a look-up would find that the JWT is valid
    assert.deepEqual([await use('203.0.113.1'), await use('203.0.113.6')], [429, 429]);
    const jwt: string = (await me.logIn()).body.data.token;
    assert.equal((await app.call('GET', '/api/v1/workspace', { jwt })).status, 200);
  });
  it('200 for a login of the client that has reset the password, above the common limit', async () => {
    app = await startApi({ TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_LOGIN: '5/900' });
    const me = await owner(app);
    for (let number = 1; number <= 5; number += 1) await logIn(`203.0.113.${number}`, { email: `nobody${number}@example.com`, password });
    const address = '198.51.100.9';
    assert.equal((await me.reset('another horse', address)).status, 200);
    assert.equal((await me.logIn('another horse', {}, '198.51.100.10')).status, 429);
    assert.equal((await me.logIn('another horse', {}, address)).status, 200);
  });
  it('200 for a login of the owner after many that the common limit refused, which lock no address', async () => {
    app = await startApi({ TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_LOGIN: '2/900' });
    const me = await owner(app);
    for (let number = 1; number <= 12; number += 1) assert.equal((await me.logIn('wrong horse', {}, `203.0.113.${number}`)).status, 429);
    assert.equal((await me.logIn()).status, 200);
  });
  it('200 for the owner after a reset while others guess, and 201 for a sign-up, with the default limits', async () => {
    app = await startApi({ TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_AUTH: undefined, RATE_LIMIT_LOGIN: undefined });
    const me = await owner(app);
    const guess = (index: number) => logIn(`203.0.113.${(index % 200) + 1}`, { email: me.email, password: `wrong horse ${index}` });
    const statuses = await Promise.all(Array.from({ length: 700 }, (_, index) => guess(index)));
    const tried = statuses.filter((status) => status === 401).length;
    assert.ok(tried >= 1 && tried <= 40, `${tried} were tried`);
    assert.equal((await me.reset('another horse', '198.51.100.9')).status, 200);
    assert.equal((await me.logIn('another horse', {}, '198.51.100.9')).status, 200);
    const body = { email: 'new@example.com', password, company_name: 'Acme' };
    const signedUp = await app.call('POST', '/api/v1/auth/signup', { body, headers: { 'X-Forwarded-For': '198.51.100.20' } });
    assert.equal(signedUp.status, 201);
  });
  it('RATE_LIMIT_AUTH also limits logouts, the second factor and the end of an account', async () => {
    app = await startApi({ RATE_LIMIT_AUTH: '1/900' });
    const { jwt } = await app.account();
    for (const [method, path] of [
      ['POST', 'logout-all'],
      ['POST', 'totp'],
      ['DELETE', 'workspace'],
    ] as const) {
      await app.call(method, `/api/v1/auth/${path}`, { jwt, body: {} });
      const { status, headers } = await app.call(method, `/api/v1/auth/${path}`, { jwt, body: {} });
      assert.deepEqual([status, headers.get('x-ratelimit-limit')], [429, '1'], path);
    }
  });
});
