/** The portal of a webhook in a browser: by the link alone, in a frame of the site that the webhook names. */
import assert from 'node:assert/strict';
import { buildWebhook } from '../support/rows/factories.js';
import { startBrowser, type TestBrowser } from '../support/browser.js';
import { useApi } from '../api/use-api.js';
import { xssTexts } from './console-browser.js';
import { useConsole } from './use-console.js';

const site = 'https://app.example.com';

describe('the portal of a webhook in the console', function () {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const { browser, me } = useConsole(app, { forEachTest: true });
  let id: string;
  beforeEach(async () => {
    ({ id } = (await buildWebhook(me.workspaceId, 'https://example.com/hooks')).row);
  });
  /** The address of the link, at this service. */
  const link = async () => {
    const { body } = await me.call('POST', `/webhooks/${id}/portal`);
    const { pathname, hash } = new URL(body.data.portal.url);
    return pathname + hash;
  };

  it('the owner makes a link to the portal, and whoever has it tests the receiver without a login', async () => {
    await me.call('PUT', `/webhooks/${id}`, { description: xssTexts[1] });
    await browser.open(`/webhooks/${id}`);
    await browser.press("Link for the receiver's owner");
    const url = new URL(await browser.page.getByRole('region', { name: 'the link' }).innerText());
    await browser.assertAccessible();
    await browser.leave();
    await browser.page.goto(`${app.url}${url.pathname}${url.hash}`);
    await browser.see(xssTexts[1]);
    assert.equal(new URL(browser.page.url()).hash, '');
    for (const name of ['Rotate the secret', 'Delete', 'Deactivate', "Link for the receiver's owner", 'Log out'])
      assert.equal(await browser.page.getByRole('button', { name, exact: true }).count(), 0, name);
    await browser.assertAccessible();
    await browser.press('Send a test event');
    await browser.page.getByRole('heading', { name: 'Delivery', exact: true }).waitFor();
    assert.equal(new URL(browser.page.url()).pathname.startsWith(`${url.pathname}/deliveries/`), true);
    await browser.assertAccessible();
    await browser.press('Send again');
    await browser.see('Delivery sent again.');
    await browser.page.reload();
    await browser.follow('Back to the webhook');
    await browser.page.getByRole('link', { name: 'webhook.test' }).waitFor();
    assert.deepEqual(await browser.page.context().cookies(), []);
  });

  it('the portal of a webhook in the console says that the link has ended, also without one', async () => {
    const address = await link();
    await browser.leave();
    await browser.page.goto(app.url + address);
    await browser.page.getByRole('heading', { name: 'Deliveries' }).waitFor();
    await me.call('POST', '/auth/logout-all');
    // The page looks again by itself. If it notices first, the button is gone.
    const button = browser.page.getByRole('button', { name: 'Send a test event', exact: true });
    await button.click({ timeout: 2_000 }).catch(() => undefined);
    await browser.page.getByRole('heading', { name: 'This link is not valid any more' }).waitFor();
    await browser.until(`document.activeElement.id === 'main' && document.title === 'This link is not valid any more – Tidings console'`);
    await browser.assertAccessible();
    await browser.page.goto(`${app.url}/console/portal/webhooks/${id}`);
    await browser.page.getByRole('heading', { name: 'This link is not valid any more' }).waitFor();
  });

  it('a new link opens in the tab of one that has ended', async () => {
    const address = await link();
    await browser.leave();
    await browser.page.goto(`${app.url}${address.split('#')[0]}#token=a.b.c`);
    await browser.page.getByRole('heading', { name: 'This link is not valid any more' }).waitFor();
    await browser.page.goto(app.url + address);
    await browser.page.getByRole('heading', { name: 'Deliveries' }).waitFor();
    assert.equal(new URL(browser.page.url()).hash, '');
    await browser.open(`/portal/webhooks/${id}/nothing`);
    await browser.page.getByRole('main', { name: 'Not found' }).waitFor();
    assert.equal(await browser.page.title(), 'Not found – Tidings console');
  });

  it('the sites that may frame the portal are changed with the webhook, and checked', async () => {
    await browser.open(`/webhooks/${id}/edit`);
    await browser.fill('Sites that may frame its portal (optional)', 'http://app.example.com');
    await browser.press('Save');
    await browser.see(/^frame_ancestors must be a list of at most 10 https origins/);
    await browser.fill('Sites that may frame its portal (optional)', `${site}, https://other.example`);
    await browser.press('Save');
    await browser.see(`${site}, https://other.example`);
    const { body } = await me.call('GET', `/webhooks/${id}`);
    assert.deepEqual(body.data.webhook.frame_ancestors, [site, 'https://other.example']);
  });

  describe('in a frame of another site', () => {
    let visitor: TestBrowser;
    before(async function () {
      visitor = await startBrowser(this);
    });
    after(() => visitor?.close());

    it('the portal is shown and works in a frame where the webhook names the site, and nowhere else', async () => {
      const address = app.url + (await link());
      const { page } = visitor;
      // The made-up site is on the internet for the browser, and this service in the local network. Older browsers do not ask.
      await page
        .context()
        .grantPermissions(['local-network-access'], { origin: site })
        .catch(() => undefined);
      await page.route(`${site}/**`, (route) =>
        route.fulfill({ contentType: 'text/html', body: `<iframe src="${address}" width="800" height="800"></iframe>` }),
      );
      const shown = page.frameLocator('iframe').getByRole('heading', { name: 'Deliveries' });
      await page.goto(`${site}/`);
      await page.waitForLoadState('networkidle');
      assert.equal(await shown.count(), 0);
      assert.ok(
        visitor.complaints.some((complaint) => complaint.includes('frame-ancestors')),
        visitor.complaints.join('\n'),
      );
      await me.call('PUT', `/webhooks/${id}`, { frame_ancestors: [site] });
      await page.goto(`${site}/`);
      await shown.waitFor();
      await page.frameLocator('iframe').getByRole('button', { name: 'Send a test event' }).click();
      await page.frameLocator('iframe').getByRole('heading', { name: 'Delivery', exact: true }).waitFor();
    });
  });
});
