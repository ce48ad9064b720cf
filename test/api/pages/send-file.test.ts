import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express, { type RequestHandler, type Response } from 'express';
import { errorHandler } from '../../../api/http/errors/error-handler.js';
import type { Limiter } from '../../../api/http/rate-limit.js';
import { sendFile } from '../../../api/pages/send-file.js';
import { silentLogger } from '../../support/carriers/stub-provider.js';

describe('sending a file of a page', () => {
  let above: string;
  let folder: string;
  before(() => {
    above = mkdtempSync(join(tmpdir(), 'tidings-pages-'));
    folder = join(above, '.hidden', 'assets');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'a.js'), 'content');
  });
  after(() => rmSync(above, { recursive: true }));

  /** Serves `/a.js` while `use` runs, with the errors of the service. */
  async function serving(serve: RequestHandler, use: (url: string) => Promise<void>): Promise<void> {
    const limiter = { describeAddress: () => Promise.resolve() } as unknown as Limiter;
    const app = express().get('/a.js', (_req, res, next) => {
      res.locals = { requestId: 'request', route: '/a.js', address: '127.0.0.1' };
      next();
    });
    app.get('/a.js', serve).use(errorHandler(limiter, silentLogger, (error) => error));
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/a.js`);
    } finally {
      server.close();
    }
  }

  it('200 and 304 for a file of a checkout below a folder whose name begins with a dot', async () => {
    const serve: RequestHandler = (_req, res, next) => sendFile(res.setHeader('Cache-Control', 'no-cache'), folder, 'a.js', next);
    await serving(serve, async (url) => {
      const { status, headers } = await fetch(url);
      const etag = headers.get('etag') ?? '';
      const shown = ['cache-control', 'last-modified', 'accept-ranges'].map((name) => headers.get(name));
      assert.deepEqual([status, ...shown], [200, 'no-cache', null, null]);
      assert.equal((await fetch(url, { headers: { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' } })).status, 304);
    });
  });

  it('404 for a file that was deleted after the start', async () => {
    await serving(
      (_req, res, next) => sendFile(res, folder, 'deleted.js', next),
      async (url) => {
        const response = await fetch(url);
        const { error } = (await response.json()) as { error: string };
        assert.deepEqual([response.status, error], [404, 'Not found']);
      },
    );
  });

  it('a client that leaves before its file is sent is no failure of the service', async () => {
    const failures: unknown[] = [];
    let noteSent: (error: unknown) => void = () => undefined;
    const sent = new Promise<unknown>((resolve) => (noteSent = resolve));
    await serving(
      (req, res) => {
        req.socket.destroy();
        sendFile(noting(res, noteSent), folder, 'a.js', (error) => failures.push(error));
      },
      async (url) => {
        await assert.rejects(fetch(url));
        assert.equal(((await sent) as NodeJS.ErrnoException).code, 'ECONNABORTED');
      },
    );
    assert.deepEqual(failures, []);
  });
});

/** A response that tells how the sending of a file ended, after the service has handled it. */
function noting(res: Response, note: (error: unknown) => void): Response {
  const send = res.sendFile.bind(res);
  const noted = (name: string, options: object, done: (error?: Error) => void) =>
    send(name, options, (error) => {
      done(error);
      note(error);
    });
  return Object.assign(res, { sendFile: noted as typeof res.sendFile });
}
