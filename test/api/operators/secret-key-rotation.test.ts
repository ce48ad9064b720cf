import assert from 'node:assert/strict';
import { signSandboxCallback } from '../../../models/rules/callbacks/sandbox.js';
import { freshDatabase, type TestDatabase } from '../../support/database.js';
import { until } from '../../support/client.js';
import { owner, password } from '../accounts/owner.js';
import type { TestApp } from '../start-app.js';
import { useApiStarts } from '../use-api.js';

const [former, present] = ['former-secret-key-former-secret-key', 'present-secret-key-present-secret-key'];

/** The second round of the rotation: one process makes things with the former key still, the other with the new one. */
describe('while SECRET_KEY is changed', () => {
  const startApi = useApiStarts();
  let database: TestDatabase | undefined;
  let [one, other]: TestApp[] = [];
  afterEach(() => database?.drop());

  const start = async (more: NodeJS.ProcessEnv = {}) => {
    const env = { TRUSTED_PROXIES: '127.0.0.1', ...more };
    database = await freshDatabase();
    const started = [
      await startApi({ ...env, SECRET_KEY: former, SECRET_KEYS_OLD: present }, { database }),
      await startApi({ ...env, SECRET_KEY: present, SECRET_KEYS_OLD: former }, { database }),
    ] as const;
    [one, other] = started;
    return started;
  };
  const logIn = async (app: TestApp | undefined, email: string, secret: string, address = '198.51.100.1') => {
    const headers = { 'X-Forwarded-For': address };
    return (await app?.call('POST', '/api/v1/auth/login', { headers, body: { email, password: secret } }))?.status;
  };
  const guess = async (email: string, times: number) => {
    const statuses = [];
    for (let time = 1; time <= times; time += 1) statuses.push(await logIn(time % 2 === 0 ? one : other, email, 'wrong horse'));
    return statuses;
  };

  it('429 after five wrong passwords to processes with different secret keys, and the right one ends all counts', async () => {
    const me = await owner((await start())[0]);
    assert.deepEqual(await guess(me.email, 4), [401, 401, 401, 401]);
    assert.equal(await logIn(other, me.email, password), 200);
    assert.deepEqual(await guess(me.email, 7), [401, 401, 401, 401, 401, 429, 429]);
  });

  it('five of 40 passwords are checked that are guessed at once at processes with different secret keys', async () => {
    const { email } = await owner((await start())[0]);
    const guesses = Array.from({ length: 40 }, (_, time) => logIn(time % 2 === 0 ? one : other, email, 'wrong horse'));
    assert.equal((await Promise.all(guesses)).filter((status) => status === 401).length, 5);
  });

  it('200 at processes with different secret keys for the client that has reset the password while others guess', async () => {
    const me = await owner((await start())[0]);
    await me.reset('another horse', '198.51.100.9');
    assert.deepEqual(await guess(me.email, 6), [401, 401, 401, 401, 401, 429]);
    for (const app of [one, other]) assert.equal(await logIn(app, me.email, 'another horse', '198.51.100.9'), 200);
  });

  it('an address that is known to one process causes no mail and no limit at another', async () => {
    const me = await owner((await start({ RATE_LIMIT_LOGIN: '2/60' }))[0]);
    for (const app of [other, one, other]) assert.equal(await logIn(app, me.email, password), 200);
    assert.deepEqual(await me.mails(), ['verify_email']);
  });

  it('200 for a callback of the sandbox that a process with another secret key has signed', async () => {
    const body = JSON.stringify({ reports: [] });
    for (const app of await start())
      for (const key of [former, present]) {
        const { status } = await app.call('POST', '/callbacks/sandbox', { headers: signSandboxCallback(key, body), body });
        assert.equal(status, 200);
      }
  });

  it('429 at the exact limit of an API key over processes with different secret keys', async function () {
    if (process.env.TEST_REDIS === undefined) this.skip();
    const apps = await start({ REDIS_URL: process.env.TEST_REDIS, RATE_LIMIT_API: '5/60' });
    await until(async () => (await Promise.all(apps.map(({ deps }) => deps.limiter.isHealthy()))).every(Boolean), 'Redis answers both');
    const { key } = await apps[0].account();
    const statuses = [];
    for (let time = 0; time < 8; time += 1)
      statuses.push((await apps[time % 2 === 0 ? 0 : 1].call('GET', '/api/v1/messages', { key })).status);
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429, 429, 429]);
  });
});
