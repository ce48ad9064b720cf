import assert from 'node:assert/strict';
import { generateApiKey } from '../../../models/rules/accounts/api-key.js';
import { withClock } from '../../support/shift-clock.js';
import type { Answer } from '../start-app.js';
import { useApi, useApiStarts } from '../use-api.js';
import { owner } from '../accounts/owner.js';

const list = '/api/v1/messages';
const statuses = (answers: Answer[]) => answers.map(({ status }) => status);
const repeat = async (times: number, call: () => Promise<Answer>) => {
  const answers: Answer[] = [];
  for (let index = 0; index < times; index += 1) answers.push(await call());
  return answers;
};

function assertRefused({ status, body, headers }: Answer): void {
  const seconds = Number(headers.get('retry-after'));
  assert.equal(status, 429);
  assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60);
  assert.equal(body.error, `Rate limit exceeded. Try again in ${seconds} seconds.`);
  assert.equal(body.code, 'rate_limited');
  assert.equal(headers.get('x-ratelimit-remaining'), '0');
}

describe('rate limits', () => {
  const app = useApi({ env: { RATE_LIMIT_API: '5/60', RATE_LIMIT_JWT: '4/60', RATE_LIMIT_AUTH: '2/60' }, forEachTest: true });
  const startApi = useApiStarts();

  it('429 above the limit of a key, and headers show the count', async () => {
    const { key } = await app.account();
    const before = Math.floor(Date.now() / 1000);
    const answers = await repeat(6, () => app.call('GET', list, { key }));
    assert.deepEqual(statuses(answers), [200, 200, 200, 200, 200, 429]);
    assert.deepEqual(
      answers.map(({ headers }) => headers.get('x-ratelimit-remaining')),
      ['4', '3', '2', '1', '0', '0'],
    );
    for (const { headers } of answers) {
      assert.equal(headers.get('x-ratelimit-limit'), '5');
      const reset = Number(headers.get('x-ratelimit-reset'));
      assert.ok(reset >= before + 59 && reset <= before + 62);
    }
    assertRefused(answers[5] as Answer);
  });

  it('429 with the end of the window also after the clock was set back', async () => {
    const { key } = await app.account();
    const call = () => app.call('GET', list, { key });
    await repeat(5, call);
    await withClock(-3_600_000, async () => assertRefused(await call()));
  });

  it('429 above the limit of a key for requests at once', async () => {
    const { key } = await app.account();
    const answers = await Promise.all(Array.from({ length: 200 }, () => app.call('GET', list, { key })));
    assert.equal(answers.filter(({ status }) => status === 200).length, 5);
    assert.equal(answers.filter(({ status }) => status === 429).length, 195);
  });

  it('rate limits count every key apart, and bad credentials by their address', async () => {
    const [one, other] = [await app.account(), await app.account()];
    await repeat(6, () => app.call('GET', list, { key: one.key }));
    assert.equal((await app.call('GET', list, { key: other.key })).status, 200);
    const bad = [{}, { key: 'nonsense' }, { key: '' }, { jwt: 'nonsense' }, { jwt: 'a.b.c' }];
    for (const credential of bad) await app.call('GET', 'jwt' in credential ? '/api/v1/api-keys' : list, credential);
    assertRefused(await app.call('GET', list));
    assertRefused(await app.call('GET', '/api/v1/api-keys', { jwt: 'x' }));
    assert.equal((await app.call('GET', list, { key: other.key })).status, 200);
    assert.equal((await app.call('GET', '/health')).status, 200, 'health has a window of its own');
  });

  it('rate limits count a well-formed unknown key apart', async () => {
    const key = generateApiKey();
    assert.deepEqual(statuses(await repeat(6, () => app.call('GET', list, { key }))), [401, 401, 401, 401, 401, 429]);
  });

  it('rate limits count a JWT by its workspace over all endpoints', async () => {
    const { jwt, key } = await app.account();
    const answers = [
      await app.call('GET', '/api/v1/api-keys', { jwt }),
      await app.call('GET', '/api/v1/webhooks', { jwt }),
      await app.call('POST', '/api/v1/api-keys', { jwt, body: {} }),
      await app.call('GET', '/api/v1/webhooks/x', { jwt }),
      await app.call('GET', '/api/v1/webhooks', { jwt }),
    ];
    assert.deepEqual(statuses(answers), [200, 200, 400, 404, 429]);
    assert.equal(answers[0]?.headers.get('x-ratelimit-limit'), '4');
    assert.equal((await app.call('GET', '/api/v1/webhooks', { key })).status, 200, 'the key of the same workspace has its own');
  });

  it('429 for a locked login that is the last of its window has the later of both ends in X-RateLimit-Reset', async () => {
    for (const window of [5, 900]) {
      const api = await startApi({ RATE_LIMIT_AUTH: `1/${window}`, TRUSTED_PROXIES: '127.0.0.1' });
      const { email } = await owner(api);
      const logIn = (last: number) =>
        api.call('POST', '/api/v1/auth/login', {
          headers: { 'X-Forwarded-For': `203.0.113.${last}` },
          body: { email, password: 'wrong horse' },
        });
      for (let time = 1; time <= 5; time += 1) assert.equal((await logIn(time)).status, 401);
      const before = Date.now() / 1000;
      const { status, headers } = await logIn(6);
      const [wait, reset] = [Number(headers.get('retry-after')), Number(headers.get('x-ratelimit-reset'))];
      assert.deepEqual([status, headers.get('x-ratelimit-remaining'), wait > 5 && wait <= 30], [429, '0', true]);
      assert.ok(reset >= before + Math.max(window, wait), `${reset - before} s`);
    }
  });

  it('rate limits count requests to /auth by address and route', async () => {
    const login = () => app.call('POST', '/api/v1/auth/login', { body: {} });
    assert.deepEqual(statuses(await repeat(3, login)), [400, 400, 429]);
    assert.equal((await app.call('POST', '/api/v1/auth/signup', { body: {} })).status, 400);
  });

  it('404 for an unknown route, which rate limits do not count', async () => {
    const answers = await repeat(7, () => app.call('GET', '/nothing'));
    assert.deepEqual(new Set(statuses(answers)), new Set([404]));
    assert.equal(answers[6]?.headers.get('x-ratelimit-remaining'), '5');
  });

  it('rate limits ignore X-Forwarded-For of unknown addresses', async () => {
    for (let index = 0; index < 5; index += 1) await app.call('GET', list, { headers: { 'X-Forwarded-For': `10.0.0.${index}` } });
    assertRefused(await app.call('GET', list, { headers: { 'X-Forwarded-For': '10.0.0.99' } }));
  });

  it('rate limits use X-Forwarded-For of a trusted proxy up to the first unknown address', async () => {
    const proxied = await startApi({ RATE_LIMIT_API: '2/60', TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' });
    const from = (chain: string) => proxied.call('GET', list, { headers: { 'X-Forwarded-For': chain } });
    assert.deepEqual(statuses([await from('1.1.1.1'), await from('9.9.9.9, 1.1.1.1, 10.0.0.1'), await from('1.1.1.1')]), [401, 401, 429]);
    assert.equal((await from('2.2.2.2')).status, 401);
  });

  it('rate limits count a client once when its proxy adds the port of each connection', async () => {
    const proxied = await startApi({ RATE_LIMIT_API: '2/60', TRUSTED_PROXIES: '127.0.0.1' });
    const from = (address: string) => proxied.call('GET', list, { headers: { 'X-Forwarded-For': address } });
    assert.deepEqual(statuses([await from('1.1.1.1:40001'), await from('1.1.1.1:40002'), await from('1.1.1.1')]), [401, 401, 429]);
    const six = [await from('[2001:db8::1]:40001'), await from('[2001:db8::1]'), await from('2001:db8::1')];
    assert.deepEqual(statuses(six), [401, 401, 429]);
  });
});
