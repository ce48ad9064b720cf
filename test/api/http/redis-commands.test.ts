import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { connectRedis } from '../../../api/http/limits/redis.js';
import { createLogger } from '../../../models/process/logger.js';
import { until } from '../../support/client.js';

describe('a command to a Redis that hangs', () => {
  it('fails, and is not sent again after a reconnect: its request was counted in memory', async () => {
    let evals = 0;
    let connections = 0;
    let isHanging = false;
    const server = createServer((socket: Socket) => {
      const number = ++connections;
      socket.on('error', () => undefined);
      socket.on('data', (data) => {
        for (const command of data.toString().split(/(?=\*\d+\r\n\$)/)) {
          const name = command.split('\r\n')[2]?.toLowerCase();
          if (name === 'eval') evals += 1;
          if (!isHanging || number > 1) socket.write(name === 'info' ? '$9\r\nloading:0\r\n' : '+PONG\r\n');
        }
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const redis = connectRedis(`redis://127.0.0.1:${(server.address() as AddressInfo).port}`, createLogger('test', 'silent'));
    await once(redis, 'ready');
    isHanging = true;
    await assert.rejects(redis.eval('return 1', 0), /timed out/);
    await until(async () => connections === 2 && redis.status === 'ready', 'it connects again');
    await redis.ping();
    assert.equal(evals, 1);
    redis.disconnect();
    server.close();
  });
});
