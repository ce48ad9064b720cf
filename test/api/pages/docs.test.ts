/** `/docs` in a real browser shows the document, sends a message, and requests no other host. */
import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { axeFindings } from '../../support/axe.js';
import { startBrowser, type TestBrowser } from '../../support/browser.js';
import { useApi } from '../use-api.js';

describe('/docs', () => {
  const app = useApi({ env: { RATE_LIMIT_API: '100/60' } });

  it('200 for /docs with a strict content security policy and rate limit headers', async () => {
    const response = await fetch(`${app.url}/docs`);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(response.headers.get('x-ratelimit-remaining') ?? '', /^\d+$/);
    assert.match(response.headers.get('strict-transport-security') ?? '', /^max-age=\d{8}/);
    const policy = response.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'; script-src 'self';/);
    assert.doesNotMatch(policy, /https?:|\*|unsafe-eval/);
    const html = await response.text();
    assert.doesNotMatch(html, /<script>|https?:\/\//);
    assert.doesNotMatch(html, /\son\w+=/);
  });

  it('/docs has only its three files, which browsers cache', async () => {
    const html = await (await fetch(`${app.url}/docs`)).text();
    const files = [...html.matchAll(/(?:src|href)="(docs\/\d[^"]+)"/g)].map(([, file]) => file);
    assert.equal(files.length, 3);
    for (const file of files) {
      const { status, headers } = await fetch(`${app.url}/${file}`, { method: 'HEAD' });
      assert.deepEqual([status, headers.get('cache-control')], [200, 'public, max-age=31536000, immutable']);
      assert.match(headers.get('x-ratelimit-limit') ?? '', /^\d+$/);
    }
    for (const path of [
      '/docs/',
      '/docs/package.json',
      '/docs/5.35.0/index.html',
      '/docs/5.35.0/../package.json',
      '/docs/5.35.0/%2e%2e/package.json',
    ]) {
      assert.equal((await fetch(app.url + path)).status, 404, path);
    }
  });

  it('200 for a file of /docs with an impossible range, and 412 for a failed condition, without the file’s headers', async () => {
    const file = /href="(docs\/\d[^"]+\.css)"/.exec(await (await fetch(`${app.url}/docs`)).text())?.[1];
    const ranged = await fetch(`${app.url}/${file}`, { headers: { Range: 'bytes=99999999-' } });
    await ranged.body?.cancel();
    assert.equal(ranged.status, 200);
    const { status, headers } = await fetch(`${app.url}/${file}`, { headers: { 'If-Match': '"x"' } });
    const shown = ['cache-control', 'content-type', 'etag'].map((name) => headers.get(name));
    assert.deepEqual([status, ...shown], [412, 'no-store', 'application/json; charset=utf-8', null]);
  });

  describe('in Chromium', () => {
    let browser: TestBrowser;
    let send: Locator;
    // Once: Swagger UI takes seconds of CPU to show the document.
    before(async function () {
      browser = await startBrowser(this);
      await browser.page.goto(`${app.url}/docs`);
      send = browser.page.locator('.opblock').filter({ has: browser.page.locator('[data-path="/api/v1/messages/send"]') });
      await send.locator('.opblock-summary').click();
    });
    afterEach('/docs logs no error in Chromium, and requests no other host', () => {
      assert.deepEqual(browser.complaints, []);
      assert.deepEqual([...browser.hosts], [app.url]);
    });
    after(() => browser?.close());

    it('/docs has no finding of axe, with an operation and a schema open', async () => {
      await send.locator('.responses-table').first().waitFor();
      assert.deepEqual(await axeFindings(browser.page), []);
    });

    it('"try it out" in /docs sends a message', async () => {
      const { page } = browser;
      const { key } = await app.account();
      await page.locator('.authorize').first().click();
      const scheme = page.locator('.auth-container').filter({ hasText: 'X-API-Key' });
      await scheme.locator('input').fill(key);
      await scheme.locator('button.authorize').click();
      await page.locator('.btn-done').first().click();

      await send.locator('.try-out__btn').click();
      await send.locator('.execute').click();
      const answer = send.locator('.live-responses-table .response');
      await answer.locator('.response-col_status').filter({ hasText: '201' }).waitFor();
      assert.match(await answer.innerText(), /"status": "queued"/);
      const list = await app.call('GET', '/api/v1/messages', { key });
      assert.equal(list.body.data.pagination.total, 1);
    });
  });
});
