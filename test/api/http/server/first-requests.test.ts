import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FirstRequestTurns } from '../../../../api/http/server/first-requests.js';
import { createHttpServer, defaultTimeouts } from '../../../../api/http/server/http-server.js';
import { createLimiter } from '../../../../api/http/rate-limit.js';
import { createLogger } from '../../../../models/process/logger.js';
import { until } from '../../../support/client.js';
import { testConfig } from '../../../support/config.js';

const requestMs = 4;
const busyFor = (ms: number) => {
  for (const end = performance.now() + ms; performance.now() < end; );
};

describe('the order in which first requests start', () => {
  it('one first request of each client starts in turn, and those of one client start as they came', async () => {
    const turns = new FirstRequestTurns();
    const started: string[] = [];
    for (const request of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) turns.add(request.slice(0, 1), () => started.push(request));
    await until(() => started.length === 6, 'all have started');
    assert.deepEqual(started, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('at most one first request starts in a turn of the event loop', async () => {
    const turns = new FirstRequestTurns();
    let started = 0;
    const startedIn: number[] = [];
    for (let number = 0; number < 20; number++) turns.add(`client ${number % 4}`, () => (started += 1));
    for (const deadline = performance.now() + 5_000; started < 20 && performance.now() < deadline; ) {
      const before = started;
      await nextTurn();
      startedIn.push(started - before);
    }
    assert.equal(started, 20);
    assert.ok(Math.max(...startedIn) <= 1, startedIn.join(', '));
  });

  for (const [what, othersMs] of [
    ['', 0],
    [', and other work takes longer than a phase in each turn', 60],
  ] as const) {
    it(`first requests start although connections never stop${what}`, async () => {
      const turns = new FirstRequestTurns();
      let started = 0;
      for (let number = 0; number < 20; number++) turns.add('a', () => (started += 1));
      for (const deadline = performance.now() + 5_000; started < 20 && performance.now() < deadline; await nextTurn()) {
        turns.noteConnection();
        busyFor(othersMs);
      }
      assert.equal(started, 20);
    });
  }
});

describe('first requests in turn', () => {
  const proxy = '127.0.2.1';
  const addresses: string[] = [];
  let bytesRead: number[] = [];
  const sockets: Socket[] = [];
  const server = createHttpServer(
    (req, res) => {
      addresses.push(String(req.headers['x-forwarded-for'] ?? req.socket.remoteAddress));
      bytesRead.push(req.socket.bytesRead);
      busyFor(requestMs);
      res.end();
    },
    { limiter: createLimiter(testConfig({}), createLogger('test', 'silent')), isDraining: false },
    defaultTimeouts,
    { max: 10_000, maxPerAddress: 1_000, proxies: [proxy] },
  );
  before(() => once(server.listen(0, '127.0.0.1'), 'listening'));
  beforeEach(() => {
    addresses.splice(0);
    bytesRead = [];
  });
  after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  const open = (localAddress: string): Socket => {
    const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', localAddress });
    sockets.push(socket.on('error', () => undefined));
    return socket;
  };

  const get = (localAddress: string, headers = ''): Socket => {
    const socket = open(localAddress);
    socket.write(`GET / HTTP/1.1\r\nHost: x\r\n${headers}\r\n`);
    return socket;
  };

  it('200 connections of one client delay a new connection of another client by a few of their requests only', async () => {
    for (let number = 0; number < 200; number++) get('127.0.1.1');
    get('127.0.1.2');
    await until(() => addresses.length === 201, 'all have started');
    const position = addresses.indexOf('127.0.1.2');
    assert.ok(position < 150, `${position} requests came first`);
  });

  it('clients behind a trusted proxy take turns by their own addresses', async () => {
    for (let number = 0; number < 200; number++) get(proxy, 'X-Forwarded-For: 192.0.2.1\r\n');
    get(proxy, 'X-Forwarded-For: 192.0.2.2\r\n');
    await until(() => addresses.length === 201, 'all have started');
    const position = addresses.indexOf('192.0.2.2');
    assert.ok(position < 150, `${position} requests came first`);
  });

  it('later requests of a connection do not wait for first requests of its client', async () => {
    const kept = get('127.0.1.1');
    await until(() => addresses.length === 1, 'its first request has started');
    for (let number = 0; number < 100; number++) get('127.0.1.1');
    await until(() => addresses.length >= 2, 'a first request has started');
    kept.write('GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: later\r\n\r\n');
    await until(() => addresses.includes('later'), 'it has started');
    assert.ok(addresses.length < 100, `${addresses.length} have started`);
    await until(() => addresses.length === 102, 'all have started');
  });

  it('pipelined requests start after the first one, in their order', async () => {
    const names = Array.from({ length: 50 }, (_, number) => `request ${number}`);
    const socket = open('127.0.0.1');
    socket.write(names.map((name) => `GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${name}\r\n\r\n`).join(''));
    await until(() => addresses.length === names.length, 'all have started');
    assert.deepEqual(addresses, names);
  });

  it('a connection with more than 100 pipelined requests that wait is closed', async () => {
    const socket = open('127.0.0.1').resume();
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_000));
    await once(socket, 'close');
    assert.ok(addresses.length <= 100, `${addresses.length} have started`);
  });

  it('nothing more is read of a connection while its first request waits', async () => {
    for (let number = 0; number < 100; number++) get('127.0.1.1');
    open('127.0.1.1').write(`GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: large\r\nX-Large: ${'x'.repeat(15_000)}\r\n\r\n`.repeat(90));
    await until(() => addresses.length === 190, 'all have started');
    const read = bytesRead[addresses.indexOf('large')] ?? 0;
    assert.ok(read < 500_000, `${read} bytes`);
  });

  it('200 for a client that ends its side of the connection after its request', async () => {
    const answers = Array.from({ length: 30 }, async () => {
      const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
      socket.end('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      return (await text(socket)).slice(0, 12);
    });
    assert.deepEqual(new Set(await Promise.all(answers)), new Set(['HTTP/1.1 200']));
  });

  it('a request whose connection is closed before its turn does not start', async () => {
    server.once('request', () => server.closeAllConnections());
    await once(get('127.0.1.1').resume(), 'close');
    get('127.0.1.2');
    await until(() => addresses.length > 0, 'the next one has started');
    assert.deepEqual(addresses, ['127.0.1.2']);
  });
});
