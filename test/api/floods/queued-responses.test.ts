/** Responses that wait behind another one of their connection, which the client closes. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createHttpServer } from '../../../api/http/server/http-server.js';
import { createLimiter } from '../../../api/http/rate-limit.js';
import { createLogger } from '../../../models/process/logger.js';
import { until } from '../../support/client.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { useApi } from '../use-api.js';

describe('a response that waits behind another', () => {
  let server: Server;
  let held: ServerResponse[];
  let socket: Socket;
  beforeEach(async () => {
    held = [];
    const limiter = createLimiter(testConfig(), createLogger('test', 'silent'));
    server = createHttpServer((_req, res) => void held.push(res), { limiter, isDraining: false }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
    await until(() => held.length === 3, 'the requests have started');
  });
  afterEach(() => {
    socket.destroy();
    server.close();
  });

  it('a response that waits behind another closes once with its connection, and takes a late answer', async () => {
    let closed = 0;
    for (const response of held) response.on('close', () => (closed += 1));
    held[1]?.end('ended before');
    socket.destroy();
    await until(() => closed === 3, 'all have closed');
    for (const response of held) {
      response.end('late');
      assert.equal(response.closed, true);
    }
    await once(server.close(), 'close');
    assert.equal(closed, 3);
  });

  it('a pipeline to a response fails if it begins after the connection has closed', async () => {
    const last = held[2] as ServerResponse;
    const closed = once(last, 'close');
    socket.destroy();
    await closed;
    await assert.rejects(pipeline(Readable.from(['a', 'b']), last), { code: 'ERR_STREAM_PREMATURE_CLOSE' });
  });

  it('a response that waits behind another closes only after its end while the connection stays open', async () => {
    for (const [index, response] of held.entries()) {
      assert.equal(response.closed, false);
      const closed = once(response, 'close');
      response.end(`answer ${index}`);
      await closed;
    }
    socket.end();
    assert.deepEqual((await text(socket)).match(/answer \d/g), ['answer 0', 'answer 1', 'answer 2']);
  });
});

describe('pipelined requests whose connection closes', () => {
  const app = useApi();
  const stream = '/api/v1/stream';
  const openStreams = async () => (await rows(app.deps.db, 'SELECT id FROM open_streams')).length;
  /** Sends all requests at once, and closes the connection when the condition is met. */
  const leave = async (said: string, isReady: () => boolean | Promise<boolean>) => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    socket.write(said);
    await until(isReady, 'the requests have started');
    socket.destroy();
  };
  const get = (path: string, jwt: string, id = 'x') =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\nAuthorization: Bearer ${jwt}\r\n\r\n`;

  it('pipelined requests for streams give all of them back when their connection closes', async () => {
    const { jwt } = await app.account();
    await leave(get(stream, jwt).repeat(5), async () => (await openStreams()) === 5);
    await until(async () => (await openStreams()) === 0, 'no stream is open');
  });

  it('a pipelined export gives its place back when its connection closes, and the next one gets 200', async () => {
    const { jwt, workspaceId } = await app.account();
    await leave(get(stream, jwt) + get('/api/v1/export', jwt), () => app.deps.exportPlaces.has(workspaceId));
    await until(() => !app.deps.exportPlaces.has(workspaceId), 'the place is free');
    assert.equal((await app.call('GET', '/api/v1/export', { jwt })).status, 200);
  });

  it('a pipelined request whose connection closes is logged as aborted', async () => {
    const { jwt } = await app.account();
    const lines: unknown[] = [];
    app.deps.logger.info = (line: { request_id?: string }, text?: string) => void lines.push([line.request_id, text]);
    await leave(get(stream, jwt, 'first') + get('/api/v1/balance', jwt, 'second'), async () => (await openStreams()) === 1);
    const second = () => lines.find((line) => Array.isArray(line) && line[0] === 'second');
    await until(() => second() !== undefined, 'the second is logged');
    assert.deepEqual(second(), ['second', 'request aborted']);
  });
});
