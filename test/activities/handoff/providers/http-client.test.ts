import assert from 'node:assert/strict';
import dns from 'node:dns';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type HttpClient, httpClient, NoAnswer, socketsMax } from '../../../../activities/handoff/providers/http-client.js';
import { closeOnUnrequestedData, exchange } from '../../../../activities/support/http-exchange.js';
import { until } from '../../../support/client.js';

describe('httpClient: answers that are none', () => {
  let server: Server;
  let client: HttpClient;
  const newClient = () => httpClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  /** What the provider does with a connection that has sent a request. */
  let answer: (socket: Socket) => void;
  before(async () => {
    server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => answer(socket));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = newClient();
  });
  after(() => new Promise((resolve) => void server.close(resolve)));

  const noAnswer = async (given = client, signal = new AbortController().signal) => {
    const error: unknown = await given.call({ method: 'POST', path: '/', headers: {}, body: '{}' }, signal).catch((one: unknown) => one);
    assert.ok(error instanceof NoAnswer, String(error));
    return [error.reason, error.mayHaveArrived];
  };

  it('a request on a refused connection did not arrive', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => void closed.close(resolve));
    assert.deepEqual(await noAnswer(httpClient(`http://127.0.0.1:${port}`)), ['ECONNREFUSED', false]);
  });

  it('a request that Node.js cannot send is an error', async () => {
    const signal = new AbortController().signal;
    await assert.rejects(client.call({ method: 'GET', path: '/', headers: { 'x-euro': '\u20ac' } }, signal), { code: 'ERR_INVALID_CHAR' });
  });

  it('a request may have arrived when the connection closes without an answer', async () => {
    answer = (socket) => socket.end();
    assert.deepEqual(await noAnswer(), ['ECONNRESET', true]);
  });

  it('a request may have arrived when the answer ends in the middle', async () => {
    answer = (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{');
    assert.deepEqual(await noAnswer(), ['unreadable response', true]);
  });

  it('a call that was aborted while it waited for a connection leaves the connection to the next call', async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n';
    let [connections, gate] = [0, () => undefined as void];
    answer = (socket) => {
      connections += 1;
      gate = () => void socket.write(`${head}{}`);
      socket.on('data', () => socket.write(head, () => setTimeout(() => socket.write('[]'), 50)));
    };
    const agent = closeOnUnrequestedData(new Agent({ keepAlive: true, maxSockets: 1 }));
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const call = (signal = new AbortController().signal) =>
      exchange({ method: 'GET', url, headers: {}, agent, signal, answerBytesMax: 100 });
    const first = call();
    const abort = new AbortController();
    const queued = [call(abort.signal), call(abort.signal)].map((waiting) => assert.rejects(waiting));
    await until(() => connections === 1, 'the first call has the only connection');
    abort.abort();
    gate();
    await first;
    await Promise.all(queued);
    assert.deepEqual([String((await call()).body), connections], ['[]', 1]);
    agent.destroy();
  });

  it('a request may have arrived when the answer is too long, and the connection is closed', async () => {
    const closed = new Promise<void>((resolve) => {
      answer = (socket) => {
        socket.once('close', () => resolve());
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 9000000\r\n\r\n${'x'.repeat(400_000)}`);
      };
    });
    assert.deepEqual(await noAnswer(), ['unreadable response', true]);
    await closed;
  });

  it('a request may have arrived when the provider changes the protocol', async () => {
    answer = (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    assert.deepEqual(await noAnswer(), ['unreadable response', true]);
  });

  it('a request is sent while the system looks up the names of other carriers and gets no answer', async () => {
    const { lookup } = dns;
    dns.lookup = (() => undefined) as unknown as typeof lookup; // all its threads are busy
    answer = (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
    const { port } = server.address() as AddressInfo;
    const byName = httpClient(`http://localhost:${port}`);
    const called = byName.call({ method: 'POST', path: '/', headers: {}, body: '{}' }, AbortSignal.timeout(3_000));
    const { status } = await called.finally(() => (dns.lookup = lookup));
    assert.equal(status, 200);
  });

  it('a request that waited for the connection of another may have arrived', async () => {
    const others: Socket[] = [];
    const called = new Promise<void>((resolve) => {
      answer = (socket) => {
        if (others.push(socket) === socketsMax) resolve();
      };
    });
    const { signal } = new AbortController();
    const busy = newClient();
    const answered = Array.from({ length: socketsMax }, () => busy.call({ method: 'GET', path: '/', headers: {} }, signal));
    await called;
    const waited = noAnswer(busy);
    for (const socket of others) {
      socket.once('data', () => socket.destroy());
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
    }
    await Promise.all(answered);
    assert.deepEqual(await waited, ['ECONNRESET', true]);
  });

  it('a request may have arrived when the deadline passes', async () => {
    const deadline = new AbortController();
    answer = () => deadline.abort();
    assert.deepEqual(await noAnswer(client, deadline.signal), ['timeout', true]);
  });
});
