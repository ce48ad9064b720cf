import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connectRedis } from '../../../api/http/limits/redis.js';
import { createLogger, type Logger } from '../../../models/process/logger.js';
import { until } from '../../support/client.js';
import { setUpReply, startFakeRedis } from '../../support/network/fake-redis.js';
import { freePort } from '../../support/network/free-port.js';
import { startRedis } from '../../support/parts/redis.js';

describe('a command to a Redis that hangs', () => {
  it('a command to a Redis that hangs fails, and is not sent again after a reconnect', async () => {
    let evals = 0;
    let isHanging = false;
    const server = await startFakeRedis(({ name, text, connection }) => {
      if (text.includes('return 1')) evals += 1;
      return isHanging && connection === 1 ? undefined : (setUpReply(name) ?? '+PONG\r\n');
    });
    const { redis } = connectRedis(server.url, createLogger('test', 'silent'));
    await once(redis, 'ready');
    isHanging = true;
    await assert.rejects(redis.eval('return 1', 0), /timed out/);
    await until(async () => server.connections() === 2 && redis.status === 'ready', 'it connects again');
    await redis.ping();
    assert.equal(evals, 1);
    redis.disconnect();
    server.close();
  });
});

describe('a Redis that refuses writes', () => {
  before(function () {
    if (process.env.TEST_REDIS === undefined) this.skip();
  });

  it('a Redis that refuses writes is logged once, and once when it accepts them again', async () => {
    const server = await startRedis();
    const lines: string[] = [];
    const log = (...said: unknown[]) => void lines.push(String(said.at(-1)));
    const { redis, acceptsWrites } = connectRedis(`${server.url}?commandTimeout=none`, { info: log, warn: log } as unknown as Logger);
    const refusal = 'Redis refuses writes; rate limits are counted in memory';
    try {
      await until(acceptsWrites, 'it accepts writes');
      await server.limitMemory('1');
      await until(() => lines.includes(refusal), 'the refusal is logged');
      const isAccepted = await acceptsWrites();
      await server.limitMemory('0');
      await until(() => lines.includes('Redis accepts writes again'), 'the end is logged');
      assert.deepEqual([isAccepted, lines], [false, ['Redis is connected', refusal, 'Redis accepts writes again']]);
    } finally {
      redis.disconnect();
      await server.kill();
    }
  });
});

describe('a node of a Redis cluster', () => {
  before(function () {
    if (process.env.TEST_REDIS === undefined) this.skip();
  });

  it('a node of a Redis cluster gets no counters if it does not serve all keys', async () => {
    const cluster = ['--cluster-enabled', 'yes', '--cluster-require-full-coverage', 'no', '--cluster-port', String(await freePort())];
    const server = await startRedis(...cluster);
    const { redis, acceptsWrites } = connectRedis(server.url, createLogger('test', 'silent'));
    const isRefused = async () => redis.status === 'ready' && !(await acceptsWrites());
    try {
      await server.command('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
      await until(acceptsWrites, 'it accepts writes while it serves all keys');
      for (const [first, last] of quarters) {
        await server.command('CLUSTER', 'DELSLOTSRANGE', first, last);
        await until(isRefused, `it refuses writes without the slots ${first} to ${last}`);
        await server.command('CLUSTER', 'ADDSLOTSRANGE', first, last);
        await until(acceptsWrites, 'it accepts writes again');
      }
    } finally {
      redis.disconnect();
      await server.kill();
    }
  });
});

/** Of the slots of a cluster. */
const quarters = [
  ['0', '4095'],
  ['4096', '8191'],
  ['8192', '12287'],
  ['12288', '16383'],
] as const;
