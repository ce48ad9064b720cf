/** The pages of `browser-pages.ts`, in a real browser. */
import assert from 'node:assert/strict';
import { axeFindings } from '../../support/axe.js';
import { startBrowser, type TestBrowser } from '../../support/browser.js';
import { unsubscribeToken } from '../../../models/rules/contacts/unsubscribe.js';
import { buildSent } from '../../support/rows/messages.js';
import { useApi } from '../use-api.js';

describe('pages for browsers', () => {
  const app = useApi();
  let browser: TestBrowser;
  before(async function () {
    browser = await startBrowser(this);
  });
  after(() => browser?.close());
  const asBrowser = (path: string) => fetch(app.url + path, { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });

  for (const path of [
    '/',
    '/billing/return?checkout=success',
    '/verify-email',
    '/reset-password',
    '/forgot-password',
    '/resend-verification',
    '/unsubscribe/x',
  ]) {
    it(`${path}: no finding of axe in either colour scheme, and no request to other hosts`, async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await browser.page.emulateMedia({ colorScheme });
        await browser.page.goto(app.url + path);
        const maxWidth = await browser.page.evaluate('getComputedStyle(document.body).maxWidth');
        assert.notEqual(maxWidth, 'none', 'the style sheet is loaded');
        assert.deepEqual(await axeFindings(browser.page), []);
      }
      assert.deepEqual([browser.complaints, [...browser.hosts]], [[], [app.url]]);
    });
  }

  it('/ leads a browser to pages that exist', async () => {
    const response = await asBrowser('/');
    const html = await response.text();
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
    assert.match(response.headers.get('content-security-policy') ?? '', /^default-src 'none'; /);
    assert.match(response.headers.get('vary') ?? '', /\bAccept\b/);
    const links = [...html.matchAll(/<a href="([^"]+)"/g)].map(([, link = '']) => link);
    assert.deepEqual(links, ['console', 'docs', 'openapi.json', 'health', 'forgot-password']);
    for (const link of links) assert.ok([200, 503].includes((await fetch(`${app.url}/${link}`)).status), link);
  });
  for (const [path, methods] of [
    ['/', 'GET, HEAD, OPTIONS'],
    ['/billing/return', 'GET, HEAD, OPTIONS'],
    ['/unsubscribe/x', 'POST, GET, HEAD, OPTIONS'],
  ]) {
    it(`${path} answers OPTIONS with 204 and the methods`, async () => {
      const response = await fetch(app.url + path, { method: 'OPTIONS' });
      assert.deepEqual([response.status, response.headers.get('allow')], [204, methods]);
    });
  }

  it('/unsubscribe ends the mails when a person presses the button, not when the page is opened', async () => {
    const { key, workspaceId } = await app.account();
    const { id, to } = await buildSent(app.deps.db, workspaceId, { channel: 'email', to: 'ada@example.com' });
    const path = `/unsubscribe/${unsubscribeToken(app.deps.config.secretKey, id)}`;
    const listed = async () => (await app.call('GET', '/api/v1/suppressions', { key })).body.data.suppressions;
    await browser.page.goto(app.url + path);
    assert.deepEqual(await listed(), []);
    await browser.page.getByRole('button', { name: 'Unsubscribe' }).click();
    await browser.page.getByRole('status').filter({ hasText: 'You will not receive these e-mails any more.' }).waitFor();
    assert.equal(await browser.page.getByRole('button').count(), 0);
    assert.deepEqual(
      (await listed()).map(({ recipient, source }: { recipient: string; source: string }) => [recipient, source]),
      [[to, 'unsubscribe']],
    );
    const json = await app.call('GET', path);
    assert.match(json.body.data.message, /Nothing was changed/);
  });

  it('/unsubscribe says that the link is not valid', async () => {
    await browser.page.goto(`${app.url}/unsubscribe/x`);
    await browser.page.getByRole('button', { name: 'Unsubscribe' }).click();
    await browser.page.getByRole('status').filter({ hasText: 'This link is not valid.' }).waitFor();
  });

  it('/ is 404 for a program, as every unknown route', async () => {
    assert.equal((await app.call('GET', '/')).status, 404);
    assert.equal((await app.call('GET', '/', { headers: { Accept: 'application/json' } })).status, 404);
  });

  for (const [query, text] of [
    ['?checkout=success', /Your credits are added as soon as the payment is confirmed/],
    ['?checkout=cancelled', /The purchase was cancelled\. Nothing was charged/],
    ['', /A purchase that was paid is in the list of transactions/],
  ] as const) {
    it(`/billing/return${query} says what is known, to people and to programs`, async () => {
      const html = await (await asBrowser(`/billing/return${query}`)).text();
      assert.match(html, text);
      if (query !== '?checkout=cancelled') assert.doesNotMatch(html, /cancelled/);
      assert.match((await app.call('GET', `/billing/return${query}`)).body.data.message, text);
    });
  }
});
