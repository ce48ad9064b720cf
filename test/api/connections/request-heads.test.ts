import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { until } from '../../support/client.js';
import { startApp, type TestApp } from '../start-app.js';

const origin = 'https://app.example.com';
const timeouts = { headersMs: 10_000, bodyMs: 300, checkIntervalMs: 20, keepAliveMs: 10_000, idleMs: 10_000, lingerMs: 2_000 };

describe('heads of requests', () => {
  let app: TestApp;
  let key: string;
  let socket: Socket;
  before(async () => {
    app = await startApp({ CORS_ORIGINS: origin }, { timeouts });
    ({ key } = await app.account());
  });
  after(() => app.close());
  afterEach(() => void socket.destroy());

  const open = (said: string) => {
    socket = connect(Number(new URL(app.url).port), '127.0.0.1').on('error', () => undefined);
    socket.write(said);
  };
  /** What comes until the server ends the connection. */
  const heard = () => text(socket);
  const exchange = (said: string) => {
    open(said);
    return heard();
  };

  for (const [what, head] of [
    ['two Host lines', 'HTTP/1.1\r\nHost: x\r\nHost: y'],
    ['two equal Host lines', 'HTTP/1.1\r\nHost: x\r\nhost: x'],
    ['two Host lines of HTTP/1.0', 'HTTP/1.0\r\nHost: x\r\nHost: y'],
    ['a Host with a path', 'HTTP/1.1\r\nHost: x/y'],
    ['a Host with a space', 'HTTP/1.1\r\nHost: x y'],
    ['a Host with a user', 'HTTP/1.1\r\nHost: me@x'],
    ['a Host with a wrong port', 'HTTP/1.1\r\nHost: x:8o'],
    ['chunks of HTTP/1.0', 'HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked'],
    ['another transfer coding', 'HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked'],
  ] as const) {
    it(`400 for ${what} in the head of a request, and the connection closes`, async () => {
      const answer = await exchange(`GET /live ${head}\r\n\r\n${head.includes('chunked') ? '0\r\n\r\n' : ''}`);
      assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n[^]*\r\nConnection: close\r\n[^]*"error":"Malformed HTTP request"/);
    });
  }

  for (const host of ['', 'x', 'x:3000', 'x:', 'a_b.example.com', '127.0.0.1:80', '[::1]:3000', '%C3%BC.example.com']) {
    it(`200 for Host: ${host}`, async () => {
      assert.match(await exchange(`GET /live HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`), /^HTTP\/1\.1 200 OK\r\n/);
    });
  }

  it('a repeated send with its Idempotency-Key behind 2,000 other header lines is the first message', async () => {
    const body = JSON.stringify({ to: '+15551234567', channel: 'sms', content: { text: 'x' } });
    const first = ['Host: x', 'Connection: close', `X-API-Key: ${key}`, `Content-Length: ${body.length}`];
    const lines = [...first, ...Array.from({ length: 2_000 }, () => 'a:'), 'Idempotency-Key: order-1'];
    const said = `POST /api/v1/messages/send HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
    assert.match(await exchange(said), /^HTTP\/1\.1 201 /);
    assert.match(await exchange(said), /^HTTP\/1\.1 201 [^]*\r\nIdempotent-Replayed: true\r\n/);
  });

  describe('Expect: 100-continue', () => {
    const send = (path: string, presented: string, length: number) =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${presented}\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;
    const path = '/api/v1/messages/send';

    it('Expect: 100-continue is answered before the body is read', async () => {
      const body = JSON.stringify({ to: '+15551234567', channel: 'sms', content: { text: 'x' } });
      open(send(path, key, body.length));
      const [first] = (await once(socket, 'data')) as [Buffer];
      assert.equal(String(first), 'HTTP/1.1 100 Continue\r\n\r\n');
      socket.write(body);
      assert.match(String(await once(socket, 'data')), /^HTTP\/1\.1 201 Created\r\n/);
    });

    for (const [status, what, said] of [
      [401, 'a wrong key', () => send(path, 'wrong', 100)],
      [404, 'an unknown path', () => send('/api/v1/nothing', key, 100)],
      [413, 'a length above the limit', () => send(path, key, 99_999_999)],
    ] as const) {
      it(`${status} without 100 for ${what} and Expect: 100-continue`, async () => {
        open(said());
        const [first] = (await once(socket, 'data')) as [Buffer];
        assert.match(String(first), new RegExp(`^HTTP/1.1 ${status} [^]*\r\nConnection: close\r\n`));
      });
    }
  });

  describe('an answer in place of the application', () => {
    const post = (id: string, rest: string) =>
      `POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nOrigin: ${origin}\r\nX-Request-Id: ${id}\r\n${rest}`;
    const malformed = 'Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\nzz\r\n';

    for (const [status, what, rest] of [
      [408, 'a body that does not end', 'Content-Length: 100\r\n\r\n{'],
      [400, 'a malformed chunk', malformed],
    ] as const) {
      it(`${status} for ${what} has the request id of the client and of the log, and the headers of CORS`, async () => {
        const lines: { request_id?: string }[] = [];
        app.deps.logger.info = (line: { request_id?: string }) => void lines.push(line);
        open('GET /live HTTP/1.1\r\nHost: x\r\n\r\n');
        await once(socket, 'data');
        const id = `order-${status}`;
        socket.write(post(id, rest));
        const answer = await heard();
        assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `));
        assert.match(answer, new RegExp(`^X-Request-Id: ${id}\r$`, 'm'));
        assert.match(answer, new RegExp(`"request_id":"${id}"`));
        assert.match(answer, new RegExp(`^Access-Control-Allow-Origin: ${origin}\r$`, 'im'));
        await until(() => lines.some(({ request_id }) => request_id === id), 'the request is logged');
      });
    }

    it('400 for a malformed chunk has the request id of the client also if the request has not started', async () => {
      assert.match(await exchange(post('order-1', malformed)), /^HTTP\/1\.1 400 [^]*\r\nX-Request-Id: order-1\r\n/);
    });
  });
});
