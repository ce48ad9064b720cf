import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../support/client.js';
import { type FaultProxy, startFaultProxy } from '../support/network/fault-proxy.js';

/** Returns everything in capital letters, and stores what it received. */
async function startEcho(): Promise<{ server: Server; address: string; heard: () => string }> {
  let heard = '';
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      heard += String(chunk);
      socket.write(String(chunk).toUpperCase());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, address: `127.0.0.1:${(server.address() as AddressInfo).port}`, heard: () => heard };
}

describe('the fault proxy', () => {
  let echo: Awaited<ReturnType<typeof startEcho>>;
  let proxy: FaultProxy;
  let client: Socket;
  let answered: string;
  let ended: string | undefined;
  const open = async () => {
    [answered, ended] = ['', undefined];
    client = connect(Number(proxy.address.split(':')[1]), '127.0.0.1');
    client.on('data', (chunk) => (answered += String(chunk)));
    client.on('error', (error: NodeJS.ErrnoException) => (ended = error.code));
    client.on('close', () => (ended ??= 'closed'));
    await once(client, 'connect');
  };
  beforeEach(async () => {
    echo = await startEcho();
    proxy = await startFaultProxy(echo.address);
    await open();
  });
  afterEach(async () => {
    client.destroy();
    await proxy.close();
    echo.server.close();
  });
  const say = async (text: string) => {
    client.write(text);
    await until(() => answered.endsWith(text.toUpperCase()), `the answer to ${text}`);
  };

  it('the fault proxy passes bytes both ways', () => say('one'));

  it('the fault proxy stalls requests, which arrive in order when it passes data again', async () => {
    await say('one');
    proxy.mode = 'stall-requests';
    client.write(' two');
    client.write(' three');
    await sleep(50);
    assert.equal(echo.heard(), 'one');
    proxy.mode = 'pass';
    await until(() => answered === 'ONE TWO THREE', 'the held bytes');
  });

  it('the fault proxy stalls answers, which come late after the server has done its work', async () => {
    await say('one');
    proxy.mode = 'stall-answers';
    client.write(' two');
    await until(() => echo.heard() === 'one two', 'the request');
    await sleep(50);
    assert.equal(answered, 'ONE');
    proxy.mode = 'pass';
    await until(() => answered === 'ONE TWO', 'the held answer');
  });

  it('the fault proxy loses answers: the request is executed, and the connection is reset before the answer', async () => {
    await say('one');
    proxy.mode = 'lose-answers';
    client.write(' two');
    await until(() => ended !== undefined, 'the reset');
    assert.deepEqual([echo.heard(), answered, ended], ['one two', 'ONE', 'ECONNRESET']);
  });

  it('the fault proxy refuses new connections, and keeps open ones until they are reset', async () => {
    await say('one');
    proxy.mode = 'refuse';
    await say(' two');
    proxy.reset();
    await until(() => ended === 'ECONNRESET', 'the reset of the open one');
    await open().catch(() => undefined);
    await until(() => ended === 'ECONNRESET', 'the reset of the new one');
    assert.equal(answered, '');
  });

  it('the fault proxy delays every chunk, and keeps the order', async () => {
    proxy.delayMs = 60;
    const since = performance.now();
    await say('one');
    assert.ok(performance.now() - since > 118, 'the delay of each direction');
    client.write(' two');
    await sleep(10);
    proxy.delayMs = 0;
    await say(' three');
    assert.equal(answered, 'ONE TWO THREE');
  });

  it('the fault proxy chooses a target for each connection, and another one if that refuses', async () => {
    const dead = '127.0.0.1:1';
    const targets = [dead, echo.address, echo.address];
    const balancer = await startFaultProxy(() => targets.shift() ?? dead);
    const [port] = balancer.address.split(':').slice(1).map(Number);
    const balanced = connect(port ?? 0, '127.0.0.1');
    balanced.write('one');
    const [answer] = await once(balanced, 'data');
    assert.equal(String(answer), 'ONE');
    balanced.destroy();
    await balancer.close();
  });
});
