import assert from 'node:assert/strict';
import type { TestApp } from '../start-app.js';
import { useApiStarts } from '../use-api.js';
import { owner, password } from './owner.js';

describe('limits under /auth', () => {
  const startApi = useApiStarts();
  let app: TestApp;

  const logIn = async (address: string, body: object = {}) =>
    (await app.call('POST', '/api/v1/auth/login', { body, headers: { 'X-Forwarded-For': address } })).status;

  it('429 for an IPv6 /64, and for a /48 at four times the limit', async () => {
    app = await startApi({ TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_AUTH: '2/900' });
    const of64 = [await logIn('2001:db8:1:1::1'), await logIn('2001:db8:1:1::2'), await logIn('2001:db8:1:1::3')];
    assert.deepEqual(of64, [400, 400, 429]);
    const of48: number[] = [];
    for (let network = 2; network <= 9; network += 1) of48.push(await logIn(`2001:db8:1:${network}::1`));
    assert.deepEqual(of48, [400, 400, 400, 400, 400, 400, 429, 429]);
    assert.equal(await logIn('2001:db8:2:1::1'), 400);
    assert.equal(await logIn('203.0.113.1'), 400);
  });
  it('429 for unknown clients above the common limit, and 200 for a known client', async () => {
    app = await startApi({ TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_LOGIN: '5/900' });
    const me = await owner(app); // a signup and a login
    const statuses: number[] = [];
    for (let number = 1; number <= 5; number += 1)
      statuses.push(await logIn(`203.0.113.${number}`, { email: `nobody${number}@example.com`, password }));
    assert.deepEqual(statuses, [401, 401, 401, 429, 429]);
    assert.equal((await me.logIn()).status, 200);
    assert.equal((await me.logIn(password, {}, '203.0.113.9')).status, 429);
  });
  it('apply to every route under /auth', async () => {
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
