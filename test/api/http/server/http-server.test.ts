import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpServer } from '../../../../api/http/server/http-server.js';
import { createLimiter } from '../../../../api/http/rate-limit.js';
import { createLogger } from '../../../../models/process/logger.js';
import { until } from '../../../support/client.js';
import { testConfig } from '../../../support/config.js';

const timeouts = { headersMs: 300, bodyMs: 300, checkIntervalMs: 20, keepAliveMs: 100, idleMs: 400, lingerMs: 2_000 };
const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n';

describe('slow clients', () => {
  let server: Server;
  let port: number;
  let answer: RequestListener;
  const limiter = createLimiter(testConfig({ RATE_LIMIT_API: '7/60' }), createLogger('test', 'silent'));
  before(async () => {
    server = createHttpServer((req, res) => answer(req, res), { limiter, isDraining: false }, timeouts).listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  beforeEach(() => {
    answer = (req, res) => void req.resume().once('end', () => res.end('well'));
  });
  after(() => server.close());

  const open = async (said: string): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(said);
    return socket;
  };
  /** All that comes until the server closes the connection, which is never closed from here. */
  const heard = (socket: Socket): Promise<string> => text(socket);

  for (const [what, said] of [
    ['a head that does not end', 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: '],
    ['a body that does not end', `${head}\r\n123`],
    ['a chunk that does not end', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc'],
  ] as const) {
    it(`408 for ${what}, and the connection is closed`, async () => {
      const came = await heard(await open(said));
      assert.match(came, /^HTTP\/1\.1 408 Request Timeout\r\n/);
      for (const header of [/^X-RateLimit-Limit: 7\r$/m, /^X-RateLimit-Remaining: 7\r$/m, /^X-RateLimit-Reset: \d+\r$/m]) {
        assert.match(came, header);
      }
      const body = JSON.parse(came.slice(came.indexOf('\r\n\r\n'))) as Record<string, unknown>;
      assert.equal(body.error, 'Request took too long');
      assert.deepEqual(Object.keys(body), ['success', 'error', 'code', 'message', 'request_id', 'details']);
      assert.ok(came.includes(`X-Request-Id: ${String(body.request_id)}\r\n`));
    });
  }

  describe('a process that stands still for twice the timeouts', () => {
    const standStill = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * timeouts.headersMs);
    let paused: Server;
    let socket: Socket;
    /** The idle timeout is as short as the other ones only where it is the subject. */
    const connectTo = async (idleMs = 10_000): Promise<void> => {
      paused = createHttpServer((req, res) => answer(req, res), { limiter, isDraining: false }, { ...timeouts, idleMs, stallMs: 200 });
      await once(paused.listen(0, '127.0.0.1'), 'listening');
      const connected = once(paused, 'connection');
      socket = connect((paused.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
      await Promise.all([connected, once(socket, 'connect')]);
    };
    afterEach(() => once(paused.close(), 'close'));
    const closing = head.replace('\r\n', '\r\nConnection: close\r\n');

    for (const [what, idleMs] of [
      ['whole request', undefined],
      ['whole request, for longer than a connection may be idle,', timeouts.idleMs],
    ] as const) {
      it(`200 for a ${what} that arrives while the process stands still`, async () => {
        await connectTo(idleMs);
        socket.write(`${closing}\r\n1234567890`);
        standStill();
        assert.match(await heard(socket), /^HTTP\/1\.1 200 /);
      });
    }
    it('200 for a body that arrives while the process stands still', async () => {
      await connectTo();
      const begun = once(paused, 'request');
      socket.write(`${closing}\r\n123`);
      await begun;
      socket.write('4567890');
      standStill();
      assert.match(await heard(socket), /^HTTP\/1\.1 200 /);
    });
    it('408 for a head that goes on byte by byte after the process stood still', async () => {
      await connectTo();
      socket.write(head);
      standStill();
      const drip = setInterval(() => socket.write('X-Drip: 1\r\n'), 10);
      assert.match(await heard(socket), /^HTTP\/1\.1 408 /);
      clearInterval(drip);
    });
  });

  it('no request is served that comes after a 408', async () => {
    let count = 0;
    const discard = answer;
    answer = (req, res) => {
      count += 1;
      discard(req, res);
    };
    const connected = once(server, 'connection') as Promise<[Socket]>;
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined);
    socket.write(`${head}\r\n123`);
    const [served] = await connected;
    assert.match(String(await once(socket, 'data')), /^HTTP\/1\.1 408 /);
    socket.write(`4567890${head}\r\n1234567890`);
    await once(served, 'close');
    socket.destroy();
    assert.equal(count, 1);
  });

  it('200 for a request that waits longer than all timeouts before its body is read', async () => {
    const discard = answer;
    answer = (req, res) => void sleep(3 * timeouts.idleMs).then(() => discard(req, res));
    assert.match(await heard(await open(`${head}\r\n1234567890`)), /^HTTP\/1\.1 200 OK[^]*well$/);
  });

  it('408 for a body that does not end, also after the service has waited before it reads', async () => {
    const discard = answer;
    answer = (req, res) => void sleep(2 * timeouts.bodyMs).then(() => discard(req, res));
    assert.match(await heard(await open(`${head}\r\n123`)), /^HTTP\/1\.1 408 /);
  });

  it('200 for a request whose handler takes longer than the idle timeout', async () => {
    answer = (req, res) => void req.resume().once('end', () => void sleep(3 * timeouts.idleMs).then(() => res.end('well')));
    assert.match(await heard(await open(`${head}\r\n1234567890`)), /^HTTP\/1\.1 200 OK[^]*well$/);
  });

  it('a client that leaves while the handler runs is noticed', async () => {
    let closed: Promise<unknown> | undefined;
    answer = (req, res) => {
      closed = once(res, 'close');
      req.resume();
    };
    const socket = await open(`${head}\r\n1234567890`);
    await until(() => closed !== undefined, 'the handler runs');
    socket.destroy();
    await closed;
  });

  it('408 for a request that arrives byte by byte', async () => {
    const socket = await open(head);
    const drip = setInterval(() => socket.write('X-Drip: 1\r\n'), 10);
    assert.match(await heard(socket), /^HTTP\/1\.1 408 /);
    clearInterval(drip);
  });

  it('an idle connection is closed after its answer', async () => {
    assert.match(await heard(await open(`${head}\r\n1234567890`)), /^HTTP\/1\.1 200 OK[^]*well$/);
  });

  for (const waitMs of [0, 2 * timeouts.idleMs]) {
    it(`a client that does not read an answer, which came after ${waitMs} ms, is cut off`, async () => {
      answer = (_req, res) => void sleep(waitMs).then(() => res.end(Buffer.alloc(64 * 1024 * 1024)));
      const connected = once(server, 'connection') as Promise<[Socket]>;
      const socket = await open('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      const [served] = await connected;
      if (!served.destroyed) await once(served, 'close');
      socket.destroy();
    });
  }

  for (const [second, requestLine] of [
    ['a CONNECT', 'CONNECT x:443 HTTP/1.1'],
    ['a slow request', 'GET /slow HTTP/1.1'],
  ] as const) {
    it(`a client that does not read an answer is cut off, also with ${second} behind it`, async () => {
      const unread = Buffer.alloc(64 * 1024 * 1024);
      answer = ({ url }, res) => void (url === '/slow' ? sleep(2 * timeouts.idleMs) : Promise.resolve()).then(() => res.end(unread));
      const connected = once(server, 'connection') as Promise<[Socket]>;
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined);
      socket.write(`GET / HTTP/1.1\r\nHost: x\r\n\r\n${requestLine}\r\nHost: x\r\n\r\n`);
      const [served] = await connected;
      if (!served.destroyed) await once(served, 'close');
      socket.destroy();
    });
  }
});
