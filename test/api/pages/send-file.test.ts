import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { sendFile } from '../../../api/pages/send-file.js';

describe('sending a file of a page', () => {
  it('200 and 304 for a file of a checkout below a folder whose name begins with a dot', async () => {
    const above = mkdtempSync(join(tmpdir(), 'tidings-pages-'));
    const folder = join(above, '.hidden', 'assets');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'a.js'), 'content');
    const app = express().get('/a.js', (_req, res, next) => sendFile(res.setHeader('Cache-Control', 'no-cache'), folder, 'a.js', next));
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.js`;
    try {
      const { status, headers } = await fetch(url);
      const etag = headers.get('etag') ?? '';
      const shown = ['cache-control', 'last-modified', 'accept-ranges'].map((name) => headers.get(name));
      assert.deepEqual([status, ...shown], [200, 'no-cache', null, null]);
      assert.equal((await fetch(url, { headers: { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' } })).status, 304);
    } finally {
      server.close();
      rmSync(above, { recursive: true });
    }
  });
});
