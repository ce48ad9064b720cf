import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import express from 'express';
import { withOpenResponses } from '../../../api/http/server/open-responses.js';
import type { Endpoint } from '../../../api/http/endpoint.js';
import { Reply } from '../../../api/http/reply.js';
import { writeReply } from '../../../api/http/write-reply.js';
import type { AppError } from '../../../models/errors.js';
import { MemoryBudget } from '../../../models/flow/memory-budget.js';
import { until } from '../../support/client.js';

/** More than the system keeps for a connection. */
const texts: Readonly<Record<string, string>> = { large: 'x'.repeat(20_000_000), half: 'x'.repeat(10_000_000), small: 'small' };

describe('writeReply', () => {
  let server: Server;
  let url: string;
  let sockets: Socket[];

  beforeEach(async () => {
    const answers = new MemoryBudget({ maxBytes: 60_000_000, maxBytesPerOwner: 30_000_000, guaranteedBytesPerOwner: 0 });
    const app = express();
    app.all('/:size/:workspace', (req, res, next) => {
      res.locals.workspaceId = req.params.workspace;
      const item = { method: req.method === 'POST' ? 'post' : 'get' } as Endpoint;
      const data = { text: texts[req.params.size] };
      writeReply(item, new Reply({ data }), res, { publicUrl: 'http://x.test', answers }).catch(next);
    });
    app.use((error: AppError, _req: express.Request, res: express.Response, _next: express.NextFunction) => {
      res.status(error.code === 'unavailable' ? 503 : 500).end();
    });
    server = createServer(withOpenResponses(app)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    sockets = [];
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  });

  /** Requests a large answer and reads only the beginning. */
  async function readNothing(workspace: string): Promise<Socket> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    sockets.push(socket);
    socket.write(`GET /large/${workspace} HTTP/1.1\r\nHost: x.test\r\n\r\n`);
    await once(socket, 'readable');
    return socket;
  }
  const statusOf = async (path: string, method = 'GET') => {
    const response = await fetch(url + path, { method });
    await response.arrayBuffer();
    return response.status;
  };

  it('503 for a second large answer beside an unread one of its workspace, and 200 when its client is gone', async () => {
    const socket = await readNothing('a');
    assert.equal(await statusOf('/large/a'), 503);
    socket.destroy();
    await until(async () => (await statusOf('/large/a')) === 200, 'the bytes are released');
    assert.deepEqual([await statusOf('/large/a'), await statusOf('/large/a')], [200, 200]);
  });

  it('200 for a large answer after a client has left that had sent several requests at once', async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    sockets.push(socket);
    socket.write('GET /half/a HTTP/1.1\r\nHost: x.test\r\n\r\n'.repeat(2));
    await once(socket, 'readable');
    assert.equal(await statusOf('/large/a'), 503);
    socket.destroy();
    await until(async () => (await statusOf('/large/a')) === 200, 'the bytes of both are released');
  });

  it('200 beside unread answers for small ones, other workspaces, HEAD and what has changed something', async () => {
    await readNothing('a');
    assert.equal(await statusOf('/small/a'), 200);
    assert.equal(await statusOf('/large/b'), 200);
    assert.equal(await statusOf('/large/a', 'HEAD'), 200);
    assert.equal(await statusOf('/large/a', 'POST'), 200);
  });

  it('503 for all workspaces when their unread answers together are too many', async () => {
    for (const workspace of ['a', 'b', 'c']) await readNothing(workspace);
    assert.equal(await statusOf('/large/d'), 503);
  });
});
