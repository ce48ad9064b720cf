import assert from 'node:assert/strict';
import { createLimiter, noHeaders } from '../../../api/http/rate-limit.js';
import type { Logger } from '../../../models/process/logger.js';
import { until } from '../../support/client.js';
import { testConfig } from '../../support/config.js';
import { setUpReply, startFakeRedis } from '../../support/network/fake-redis.js';
import { startFaultProxy } from '../../support/network/fault-proxy.js';
import { startRedis } from '../../support/parts/redis.js';

/** A limiter, and the lines that it logs. */
function limiterWith(REDIS_URL: string) {
  const lines: string[] = [];
  const log = (...said: unknown[]) => void lines.push(String(said.at(-1)));
  const limiter = createLimiter(testConfig({ REDIS_URL }), { info: log, warn: log } as unknown as Logger);
  return { limiter, lines, count: () => limiter.consume({ rateClass: 'api', key: 'one' }, noHeaders) };
}

const connected = 'Redis is connected';
const refuses = 'Redis refuses writes; rate limits are counted in memory';
const unavailable = 'Redis is not available; rate limits are counted in memory';

describe('a Redis that does not count', () => {
  before(function () {
    if (process.env.TEST_REDIS === undefined) this.skip();
  });

  it('a Redis that permits no scripts is reported', async () => {
    const server = await startRedis();
    await server.command('ACL', 'SETUSER', 'ada', 'on', '>secret', '~tidings:limit:*', '+@all', '-@scripting');
    const { limiter, lines } = limiterWith(server.url.replace('//', '//ada:secret@'));
    try {
      await until(() => lines.includes(refuses), 'the refusal is logged');
      assert.equal(await limiter.isHealthy(), false);
    } finally {
      limiter.close();
      await server.kill();
    }
  });

  it('the new primary counts after a failover, though the former one keeps its connections', async () => {
    const [former, next] = [await startRedis(), await startRedis()];
    let target = former;
    const proxy = await startFaultProxy(() => target.url.replace('redis://', ''));
    const { limiter, lines, count } = limiterWith(`redis://${proxy.address}?commandTimeout=none`); // a late response is no outage
    try {
      await until(() => limiter.isHealthy(), 'Redis answers');
      target = next;
      await former.command('REPLICAOF', '127.0.0.1', new URL(next.url).port);
      await until(async () => lines.includes(refuses) && (await limiter.isHealthy()), 'the new primary answers');
      await count();
      assert.deepEqual(await next.command('KEYS', 'tidings:limit:api:*'), ['tidings:limit:api:60:one']);
      assert.deepEqual(lines, [connected, refuses, 'Redis accepts writes again']);
    } finally {
      limiter.close();
      await Promise.all([proxy.close(), former.kill(), next.kill()]);
    }
  });
});

describe('a Redis that accepts connections and hangs', () => {
  it('requests do not wait for a Redis that answers the set-up of connections and hangs afterwards, and it is logged once', async () => {
    const counted: string[] = [];
    const server = await startFakeRedis(({ name, text }) => {
      if (text.includes('tidings:limit:api:')) counted.push(text);
      return setUpReply(name);
    });
    const { limiter, lines, count } = limiterWith(server.url);
    try {
      await until(async () => {
        await count();
        return server.connections() >= 3;
      }, 'it has connected again twice');
      assert.deepEqual([counted, lines], [[], [unavailable]]);
    } finally {
      limiter.close();
      server.close();
    }
  });
});
