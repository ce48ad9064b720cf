/** How the console is served: the page, its files, their size. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { useApi } from '../api/use-api.js';
import { root } from '../deploy/project.js';

const firstScreenBytesMax = 45 * 1024;
const assets = join(root, 'dist/console/site/assets');

describe('the files of the console', () => {
  const app = useApi();
  const get = (path: string, headers: Record<string, string> = {}) => fetch(app.url + path, { headers });
  const page = async (path = '/console') => (await get(path)).text();
  const namesIn = (html: string) => [...html.matchAll(/(?:src|href)="([^"]*assets\/[^"]+)"/g)].map(([, name = '']) => name);

  it('200 with a policy without inline code for the page of the console and for every address below it', async () => {
    for (const path of ['/console', '/console/messages', '/console/webhooks/1/deliveries/2?x=1']) {
      const response = await get(path);
      assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
      const policy = response.headers.get('content-security-policy') ?? '';
      assert.match(policy, /^default-src 'self'; /);
      assert.match(policy, /frame-ancestors 'none'/);
      assert.doesNotMatch(policy, /unsafe|data:|https?:/);
      assert.equal(response.headers.get('cache-control'), 'no-cache');
      const html = await response.text();
      assert.doesNotMatch(html, /<style|style=|<script(?![^>]* src=)|\son\w+=/);
      for (const name of namesIn(html)) assert.equal((await get(new URL(name, app.url + path).pathname)).status, 200, name);
    }
  });

  it('200 for the files of the console, which are compressed and never change', async () => {
    for (const name of namesIn(await page())) {
      const path = new URL(name, `${app.url}/console`).pathname;
      const response = await get(path, { 'Accept-Encoding': 'identity' });
      assert.deepEqual([response.status, response.headers.get('cache-control')], [200, 'public, max-age=31536000, immutable']);
      assert.match(response.headers.get('vary') ?? '', /Accept-Encoding/);
      const plain = await response.text();
      for (const encoding of ['br', 'gzip']) {
        const compressed = await get(path, { 'Accept-Encoding': encoding });
        assert.equal(compressed.headers.get('content-encoding'), encoding);
        assert.equal(await compressed.text(), plain);
      }
      const asBrowser = await get(path, { 'Accept-Encoding': 'gzip, deflate, br, zstd' });
      assert.equal(asBrowser.headers.get('content-encoding'), 'br');
      await asBrowser.body?.cancel();
    }
  });

  it('412 for a file of the console with a condition that fails, without headers of the file', async () => {
    const [name = ''] = namesIn(await page());
    const headers = { 'If-Match': '"x"', 'Accept-Encoding': 'gzip' };
    const response = await get(new URL(name, `${app.url}/console`).pathname, headers);
    const shown = ['cache-control', 'content-type', 'content-encoding'].map((header) => response.headers.get(header));
    assert.deepEqual([response.status, ...shown], [412, 'no-store', 'application/json; charset=utf-8', null]);
    assert.equal(((await response.json()) as { error: string }).error, 'Precondition failed');
  });

  it('the compressed forms of the console’s files on disk have the content of the file', () => {
    const names = readdirSync(assets).filter((name) => !/\.(br|gz)$/.test(name));
    assert.ok(names.length > 5, 'the console was not built');
    for (const name of names) {
      const content = readFileSync(join(assets, name));
      assert.ok(gunzipSync(readFileSync(join(assets, `${name}.gz`))).equals(content), name);
      assert.ok(brotliDecompressSync(readFileSync(join(assets, `${name}.br`))).equals(content), name);
    }
  });

  it('the script of the first screen of the console has at most 45 kB gzip', async () => {
    const scripts = namesIn(await page()).filter((name) => name.endsWith('.js'));
    const eager = scripts.map((name) => name.replace(/^.*\//, ''));
    // The screen itself is loaded by the script: the largest is counted, whichever it is.
    const sizeOf = (name: string) => readFileSync(join(assets, `${name}.gz`)).length;
    const later = readdirSync(assets).filter((name) => name.endsWith('.js') && !eager.includes(name) && !isChart(name));
    const largest = Math.max(...later.map(sizeOf));
    const sum = eager.reduce((bytes, name) => bytes + sizeOf(name), largest);
    assert.ok(sum <= firstScreenBytesMax, `${sum} bytes`);
    assert.ok(sum > 5_000, 'nothing was counted');
  });

  it('200 for the licences of the packages in the script of the console', async () => {
    const [, name = ''] = /<link rel="license" [^>]*href="([^"]+)"/.exec(await page()) ?? [];
    const response = await get(new URL(name, `${app.url}/console`).pathname);
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/plain; charset=utf-8']);
    const text = await response.text();
    const parts = new Map(text.split(/^(?=\S+ \d\S* \(.+\)$)/m).map((part) => [part.split(' ')[0], part]));
    for (const bundled of ['preact', 'preact-iso', '@preact/signals', '@preact/signals-core', 'uqr', 'uplot'])
      assert.match(parts.get(bundled) ?? '', /Permission is hereby granted/, bundled);
  });

  it('404 for an unknown file of the console, and for a read of its session', async () => {
    for (const path of ['/console/assets/none.js', '/console/session', '/Console']) {
      const response = await app.call('GET', path);
      assert.deepEqual([response.status, response.body.error], [404, 'Not found'], path);
    }
  });

  it('308 for /console/ with a slash at its end, which leads to the page', async () => {
    const response = await fetch(`${app.url}/console/`, { redirect: 'manual' });
    assert.deepEqual([response.status, response.headers.get('location')], [308, '../console']);
    assert.match(await page('/console/'), /<div id="console">/);
  });

  it('204 for OPTIONS of the console with the methods and the rate limit, and 404 for an unknown file', async () => {
    const ask = async (path: string) => {
      const { status, headers } = await fetch(app.url + path, { method: 'OPTIONS' });
      assert.ok(
        ['limit', 'remaining', 'reset'].every((name) => headers.has(`x-ratelimit-${name}`)),
        path,
      );
      return [status, headers.get('allow')];
    };
    for (const path of ['/console', '/console/', '/console/messages', '/console/webhooks/1/deliveries/2', '/console/portal/webhooks/1'])
      assert.deepEqual(await ask(path), [204, 'GET, HEAD, OPTIONS'], path);
    assert.deepEqual(await ask('/console/assets/none.js'), [404, null]);
    assert.deepEqual(await ask('/console/session'), [204, 'POST, DELETE, OPTIONS']);
  });
});

/** The library of charts is loaded when a chart is drawn. */
const isChart = (name: string) => readFileSync(join(assets, name), 'utf8').includes('u-legend');
