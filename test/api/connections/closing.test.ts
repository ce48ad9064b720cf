import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { createHttpServer } from '../../../api/http/server/http-server.js';
import { createLimiter } from '../../../api/http/rate-limit.js';
import { createLogger } from '../../../models/process/logger.js';
import { until } from '../../support/client.js';
import { testConfig } from '../../support/config.js';
import { useApi } from '../use-api.js';
import { sendThenRead } from './send-then-read.js';

const megabytes = 8; // more than the system buffers, so a client that does not read yet cannot send all before the answer

describe('a client that reads only after it has sent all', () => {
  const app = useApi({ env: { RATE_LIMIT_API: '5/60' } });
  const body = Buffer.alloc(megabytes * 1024 * 1024, ' ');
  const heads = [
    ['HTTP/1.1', 'Host: x\r\nConnection: close\r\n'],
    ['HTTP/1.0', ''],
  ] as const;
  const post = (version: string, headers: string, path: string, key: string) =>
    sendThenRead(
      app.url,
      `POST /api/v1/messages/${path} ${version}\r\n${headers}X-API-Key: ${key}\r\nContent-Length: ${body.length}\r\n\r\n`,
      body,
    );
  /** That all of the body of the answer has come. */
  const assertWhole = (answer: string, status: number, error: RegExp) => {
    assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `));
    assert.match(answer, /\r\nConnection: close\r\n/);
    assert.match((JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as { error: string }).error, error);
  };

  for (const [version, headers] of heads) {
    it(`a client that reads only after it has sent all gets 401, 413 and 429 whole over ${version}`, async () => {
      const { key } = await app.account();
      assertWhole(await post(version, headers, 'bulk', 'tid_live_none'), 401, /API key/);
      for (let count = 0; count < 5; count += 1) assertWhole(await post(version, headers, 'send', key), 413, /too large/);
      assertWhole(await post(version, headers, 'send', key), 429, /Rate limit/);
    });
  }
});

describe('a connection that closes', () => {
  const patient = { headersMs: 60_000, bodyMs: 60_000, checkIntervalMs: 20, keepAliveMs: 60_000, idleMs: 60_000, lingerMs: 60_000 };
  const timeouts = { ...patient };
  const state = { limiter: createLimiter(testConfig(), createLogger('test', 'silent')), isDraining: false };
  let server: Server;
  let port: number;
  let served: string[];
  let answer: RequestListener;
  const agent = new Agent({ keepAlive: true });
  const sockets: Socket[] = [];
  beforeEach(async () => {
    state.isDraining = false;
    Object.assign(timeouts, patient);
    served = [];
    answer = (_req, res) => res.end('well');
    const listener: RequestListener = (req, res) => {
      served.push(req.url ?? '');
      answer(req, res);
    };
    server = createHttpServer(listener, state, timeouts).listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    server.close();
  });
  /** A client that never closes its side. @returns also the connection as the server has it */
  const open = async (said: string) => {
    const connected = once(server, 'connection') as Promise<[Socket]>;
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined);
    sockets.push(socket);
    socket.write(said);
    const [accepted] = await connected;
    return { socket, accepted };
  };
  const heard = (socket: Socket) => text(socket.iterator({ destroyOnReturn: false }));
  const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;

  for (const [what, limit, said] of [
    ['that sends nothing more', 'lingerMs', get('/', 'Connection: close\r\n')],
    ['that drips the rest of its body', 'bodyMs', 'POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 9999999\r\n\r\n1'],
    ['that sends other requests', 'lingerMs', `${get('/', 'Connection: close\r\n')}${get('/late')}`],
  ] as const) {
    it(`a connection that closes is destroyed after ${limit} with a client ${what} and never closes`, async () => {
      timeouts[limit] = 300;
      const { socket, accepted } = await open(said);
      const drip = setInterval(() => socket.write('2'), 20);
      assert.match(await heard(socket), /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nwell$/);
      if (!accepted.destroyed) await once(accepted, 'close');
      clearInterval(drip);
      assert.deepEqual(served, ['/']);
    });
  }

  it('a connection that closes stays open for a client that sends on after a malformed head', async () => {
    const { socket, accepted } = await open('nonsense\r\n\r\n');
    assert.match(await heard(socket), /^HTTP\/1\.1 400 /);
    const before = accepted.bytesRead;
    socket.write('and more');
    await until(() => accepted.bytesRead > before, 'the rest has arrived');
    assert.equal(accepted.destroyed, false);
  });

  it('a connection that closes is given up as soon as its client closes too', async () => {
    const { socket, accepted } = await open(get('/', 'Connection: close\r\n'));
    await heard(socket);
    assert.equal(accepted.destroyed, false);
    const closed = once(accepted, 'close');
    socket.end();
    await closed;
  });

  it('every answer of a drain says that its connection closes, and none of eight busy connections loses a request', async () => {
    const busy = async () => {
      for (let count = 0; ; count += 1) {
        const [response] = (await once(request({ port, host: '127.0.0.1', agent }).end(), 'response')) as [IncomingMessage];
        await once(response.resume(), 'end');
        if (response.headers.connection === 'close') return count;
      }
    };
    const connections = Promise.all(Array.from({ length: 8 }, busy));
    await until(() => served.length > 100, 'the connections are busy');
    state.isDraining = true;
    assert.equal((await connections).length, 8);
    await once(server.close(), 'close');
  });

  it('a connection closes in a drain after the last of the requests that have arrived', async () => {
    const held: (() => void)[] = [];
    answer = (_req, res) => void held.push(() => res.end('well'));
    const { socket } = await open(get('/1') + get('/2'));
    await until(() => held.length === 2, 'both have started');
    state.isDraining = true;
    for (const each of held) each();
    const came = await heard(socket);
    assert.deepEqual(came.match(/Connection: [\w-]+|well/g), ['Connection: keep-alive', 'well', 'Connection: close', 'well']);
  });

  it('no request is served that arrives behind one with an invalid head', async () => {
    const { socket } = await open(`GET /1 HTTP/1.1\r\nHost: x/y\r\n\r\n${get('/2')}`);
    assert.match(await heard(socket), /\r\nConnection: close\r\n[^]*well$/);
    assert.deepEqual(served, ['/1']);
  });

  it('no request is served that arrives after an answer of a drain has begun', async () => {
    state.isDraining = true;
    answer = (_req, res) => void res.write('we');
    const { socket } = await open(get('/1'));
    await once(socket, 'data');
    const arrived = once(server, 'request');
    socket.write(get('/2'));
    await arrived;
    assert.deepEqual(served, ['/1']);
  });
});
