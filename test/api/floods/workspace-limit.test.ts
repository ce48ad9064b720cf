import assert from 'node:assert/strict';
import { generateApiKey } from '../../../models/rules/accounts/api-key.js';
import { until } from '../../support/client.js';
import type { Answer } from '../start-app.js';
import { useApi, useApiStarts } from '../use-api.js';

const list = '/api/v1/messages';
const count = (answers: Answer[], status: number) => answers.filter((answer) => answer.status === status).length;

for (const [store, redisUrl] of [
  ['in memory', () => ''],
  // A database of its own, because others use up the limit of the address; without the timeout of commands, which a busy process exceeds.
  ['in Redis', () => process.env.TEST_REDIS && `${process.env.TEST_REDIS}/1?commandTimeout=none`],
] as const) {
  describe(`the limit of a workspace, ${store}`, () => {
    const app = useApi({
      env: () => ({ RATE_LIMIT_API: '10/60', RATE_LIMIT_JWT: '10/60', RATE_LIMIT_WORKSPACE: '12/60', REDIS_URL: redisUrl() }),
      forEachTest: true,
    });
    before(function () {
      if (redisUrl() === undefined) this.skip();
    });
    beforeEach(() => until(() => app.deps.limiter.isHealthy(), 'Redis answers'));

    const keysOf = async (jwt: string, wanted: number) => {
      const answers = await Promise.all(
        Array.from({ length: wanted }, () => app.call('POST', '/api/v1/api-keys', { jwt, body: { name: 'k', scopes: ['read_messages'] } })),
      );
      return answers.map(({ body }) => body.data.key as string);
    };

    it(`429 above the limit of a workspace over all keys and sessions together, ${store}`, async () => {
      const { jwt } = await app.account();
      const keys = await keysOf(jwt, 4); // four of the twelve
      const answers = await Promise.all(keys.flatMap((key) => Array.from({ length: 5 }, () => app.call('GET', list, { key }))));
      assert.deepEqual([count(answers, 200), count(answers, 429)], [8, 12]);
      const refused = answers.find(({ status }) => status === 429);
      assert.deepEqual([refused?.headers.get('x-ratelimit-limit'), refused?.headers.get('x-ratelimit-remaining')], ['12', '0']);
      assert.equal(refused?.body.error, `Rate limit exceeded. Try again in ${refused?.headers.get('retry-after')} seconds.`);
      assert.equal((await app.call('GET', '/api/v1/api-keys', { jwt })).status, 429, 'a session too');
      assert.equal((await app.call('GET', list, { key: (await app.account()).key })).status, 200, 'and nobody else');
    });

    it(`the headers show the nearer of the limits of the key and of the workspace, ${store}`, async () => {
      const { jwt, key } = await app.account();
      const [other = ''] = await keysOf(jwt, 1);
      const shown = async (given: string) => {
        const { headers } = await app.call('GET', list, { key: given });
        return [headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')];
      };
      assert.deepEqual(await shown(key), ['10', '9'], 'the key’s: 9 are left, of the workspace 10');
      for (let index = 0; index < 4; index += 1) await shown(key);
      assert.deepEqual(await shown(other), ['12', '5'], 'the workspace’s: of the other key 9 are left');
    });

    it(`the limit of a workspace does not count requests that the limit of a key refuses, ${store}`, async () => {
      const { jwt } = await app.account();
      const [one = '', other = ''] = await keysOf(jwt, 2);
      const flood = await Promise.all(Array.from({ length: 10 }, () => app.call('GET', list, { key: one })));
      assert.deepEqual([count(flood, 200)], [10]);
      for (let index = 0; index < 5; index += 1) assert.equal((await app.call('GET', list, { key: one })).status, 429);
      assert.equal((await app.call('GET', list, { key: other })).status, 429, 'twelve were answered');
    });
  });
}

describe('the default limit of a workspace', () => {
  const app = useApi({ env: { RATE_LIMIT_API: '7/30' } });

  it('the default limit of a workspace is ten times that of a key', () => {
    assert.deepEqual(app.deps.config.rateLimits.workspace, { points: 70, seconds: 30 });
  });
});

describe('unknown keys', () => {
  const startApi = useApiStarts();

  it('429 for unknown keys above the limit of their address, and 200 for known keys', async () => {
    const app = await startApi({ RATE_LIMIT_API: '20/60' });
    const { key } = await app.account();
    assert.equal((await app.call('GET', list, { key })).status, 200);
    const answers = await Promise.all(Array.from({ length: 60 }, () => app.call('GET', list, { key: generateApiKey() })));
    assert.deepEqual([count(answers, 401), count(answers, 429)], [20, 40]);
    assert.equal((await app.call('GET', list, { key })).status, 200);
    assert.equal((await app.call('GET', list, { key: generateApiKey() })).status, 429);
  });

  it('401 for an unknown key with former secret keys, and nothing is written', async () => {
    const former = 'former-secret-key-former-secret-key-';
    const app = await startApi({ SECRET_KEYS_OLD: former });
    const [before] = await written();
    assert.equal((await app.call('GET', list, { key: generateApiKey() })).status, 401);
    const [after] = await written();
    assert.deepEqual(after, before);

    async function written() {
      const { db } = app.deps;
      await db.query('SELECT pg_stat_force_next_flush()');
      return (await db.query(`SELECT seq_tup_read, n_tup_upd FROM pg_stat_user_tables WHERE relname = 'api_keys'`))[0];
    }
  });
});
