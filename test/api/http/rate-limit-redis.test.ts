import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateApiKey } from '../../../models/rules/accounts/api-key.js';
import { freePort } from '../../support/network/free-port.js';
import { until } from '../../support/client.js';
import { type RedisServer, startRedis } from '../../support/parts/redis.js';
import { useApiStarts } from '../use-api.js';

const list = '/api/v1/messages';
/** Without the timeout of commands, which a busy process exceeds although Redis has answered. `ioredis` takes options from the URL. */
const patient = 'commandTimeout=none';

describe('rate limits in Redis', () => {
  const startApi = useApiStarts();
  before(function () {
    if (process.env.TEST_REDIS === undefined) this.skip();
  });
  // A database of its own, because others use up the limit of the address.
  const env = () => ({ REDIS_URL: `${process.env.TEST_REDIS}/2?${patient}`, RATE_LIMIT_API: '5/60' });

  it('429 at the exact limit for 200 requests at once to two processes', async () => {
    const [one, other] = [await startApi(env()), await startApi(env())];
    const key = generateApiKey();
    await until(async () => (await one.deps.limiter.isHealthy()) && (await other.deps.limiter.isHealthy()), 'Redis answers both');
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? one : other).call('GET', list, { key })),
    );
    assert.equal(answers.filter(({ status }) => status === 401).length, 5);
    assert.equal(answers.filter(({ status }) => status === 429).length, 195);
  });

  // Redis keeps its counts while it hangs or refuses writes, and loses them when it is killed.
  for (const [what, fallIll, heal, left] of [
    ['hangs', (redis: RedisServer) => redis.signal('SIGSTOP'), (redis: RedisServer) => redis.signal('SIGCONT'), '3'],
    ['is killed', (redis: RedisServer) => redis.kill(), (redis: RedisServer) => redis.start(), '4'],
    ['refuses writes', (redis: RedisServer) => redis.limitMemory('1'), (redis: RedisServer) => redis.limitMemory('0'), '3'],
  ] as const) {
    it(`rate limits count in memory while Redis ${what}, and in Redis again afterwards`, async () => {
      const redis = await startRedis();
      const app = await startApi({ RATE_LIMIT_API: '5/60', REDIS_URL: redis.url });
      try {
        await until(() => app.deps.limiter.isHealthy(), 'Redis answers');
        const { key: known } = await app.account();
        assert.equal((await app.call('GET', list, { key: known })).headers.get('x-ratelimit-remaining'), '4');
        await fallIll(redis);
        const key = generateApiKey();
        const answers = await Promise.all(Array.from({ length: 6 }, () => app.call('GET', list, { key })));
        assert.equal(answers.filter(({ status }) => status === 401).length, 5);
        const health = await app.call('GET', '/health');
        assert.deepEqual([health.status, health.body.services.redis, health.body.status], [503, 'error', 'degraded']);
        await heal(redis);
        await until(() => app.deps.limiter.isHealthy(), 'Redis answers');
        assert.equal((await app.call('GET', list, { key: known })).headers.get('x-ratelimit-remaining'), left);
      } finally {
        await redis.kill();
      }
    });
  }

  it('a changed period of a rate limit applies to clients whose window is open', async () => {
    const redis = await startRedis();
    try {
      const key = generateApiKey();
      const resetWith = async (RATE_LIMIT_API: string) => {
        const app = await startApi({ RATE_LIMIT_API, REDIS_URL: `${redis.url}?${patient}` });
        await until(() => app.deps.limiter.isHealthy(), 'Redis answers');
        const { headers } = await app.call('GET', list, { key });
        return [headers.get('x-ratelimit-remaining'), Number(headers.get('x-ratelimit-reset')) - Date.now() / 1000 < 3_000];
      };
      assert.deepEqual(await resetWith('5/86400'), ['4', false]);
      assert.deepEqual(await resetWith('5/600'), ['4', true]);
    } finally {
      await redis.kill();
    }
  });

  it('429 at the exact limit with a slow Redis', async () => {
    const redis = await startRedis();
    const app = await startApi({ RATE_LIMIT_API: '5/60', REDIS_URL: `${redis.url}?${patient}` });
    let isPulsing = true;
    const pulse = async () => {
      for (; isPulsing; await sleep(20)) {
        redis.signal('SIGSTOP');
        await sleep(40);
        redis.signal('SIGCONT');
      }
    };
    try {
      await until(() => app.deps.limiter.isHealthy(), 'Redis answers');
      const pulsing = pulse();
      const key = generateApiKey();
      const answers = await Promise.all(Array.from({ length: 30 }, () => app.call('GET', list, { key })));
      isPulsing = false;
      await pulsing;
      assert.equal(answers.filter(({ status }) => status === 401).length, 5);
      assert.equal(answers.filter(({ status }) => status === 429).length, 25);
    } finally {
      isPulsing = false;
      await redis.kill();
    }
  });
});

describe('rate limits without Redis', () => {
  const startApi = useApiStarts();

  it('429 above a rate limit without Redis, counted in memory', async () => {
    const app = await startApi({ RATE_LIMIT_API: '2/60', REDIS_URL: `redis://127.0.0.1:${await freePort()}` });
    const seen: number[] = [];
    for (let count = 1; count <= 3; count += 1) seen.push((await app.call('GET', list)).status);
    assert.deepEqual(seen, [401, 401, 429]);
    assert.equal((await app.call('GET', '/health')).body.services.redis, 'error');
  });
});
