import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createHttpServer } from '../../../api/http/server/http-server.js';
import { createLimiter } from '../../../api/http/rate-limit.js';
import { createLogger } from '../../../models/process/logger.js';
import { until } from '../../support/client.js';
import { testConfig } from '../../support/config.js';

const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

describe('faults behind a request of the same connection', () => {
  let server: Server;
  let held: ServerResponse[];
  beforeEach(async () => {
    held = [];
    const limiter = createLimiter(testConfig(), createLogger('test', 'silent'));
    server = createHttpServer((_req, res) => void held.push(res), { limiter, isDraining: false }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => void server.close());

  /** Sends all at once, answers the requests when the fault is known, and returns the status lines and texts that come. */
  const heard = async (said: string, fault: 'clientError' | 'connect'): Promise<string[]> => {
    const known = once(server, fault);
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(said);
    await known;
    await until(() => held.length === said.split(request).length - 1, 'the requests have started');
    socket.write('and more');
    for (const [index, response] of held.entries()) response.end(`answer ${index}`);
    return (await text(socket)).match(/HTTP\/1\.1 \d+|answer \d|"error":"[^"]*"/g) ?? [];
  };
  const first = ['HTTP/1.1 200', 'answer 0'];

  for (const [what, said, refusal] of [
    ['a body without a length', `${request}{"code":"123456"}`, ['HTTP/1.1 400', '"error":"Malformed HTTP request"']],
    ['an unknown method', `${request}FOO / HTTP/1.1\r\nHost: x\r\n\r\n`, ['HTTP/1.1 404', '"error":"Not found"']],
  ] as const) {
    it(`${what} is answered after the request before it`, async () => {
      assert.deepEqual(await heard(said, 'clientError'), [...first, ...refusal]);
    });
  }

  it('CONNECT is answered after the request before it', async () => {
    const said = `${request}CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n`;
    assert.deepEqual(await heard(said, 'connect'), [...first, 'HTTP/1.1 404', '"error":"Not found"']);
  });

  it('a fault is answered after several requests of its connection', async () => {
    const answers = ['HTTP/1.1 200', 'answer 0', 'HTTP/1.1 200', 'answer 1', 'HTTP/1.1 400', '"error":"Malformed HTTP request"'];
    assert.deepEqual(await heard(`${request}${request}{}`, 'clientError'), answers);
  });

  it('400 for a request whose own body is malformed, without waiting for its answer', async () => {
    const said = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n';
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(said);
    assert.match(await text(socket), /^HTTP\/1\.1 400 Bad Request\r\n/);
  });
});
