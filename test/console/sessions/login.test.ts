/** Sign up, log in and out, in a browser. */
import assert from 'node:assert/strict';
import type { Route } from 'playwright-core';
import { issueConsoleLink } from '../../../models/rules/accounts/console-link.js';
import { owner, password } from '../../api/accounts/owner.js';
import { codeOf, enrol, wrongCode } from '../../api/accounts/second-factor.js';
import { useApi } from '../../api/use-api.js';
import { until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { type ConsoleBrowser, startConsole } from '../console-browser.js';
import { holdScreens } from '../hold-answers.js';
import { logInAs } from '../use-console.js';

/** What the first screen says to a new workspace. */
const loggedIn = /No messages (yet|in this period)/;

describe('logging in to the console', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1', DEMO_RECEIVER: '127.0.0.1:1' } });
  let browser: ConsoleBrowser;
  before(async function () {
    browser = await startConsole(this, app.url);
  });
  after(() => browser?.close());
  beforeEach(() => browser.leave());
  afterEach(() => browser.page.unrouteAll({ behavior: 'ignoreErrors' }));
  afterEach(() => browser.assertClean());

  it('a wrong password is shown in the form, which keeps what was written', async () => {
    const me = await owner(app);
    await browser.fill('E-mail address', me.email);
    await browser.fill('Password', 'wrong password');
    await browser.press('Log in');
    await browser.see('Invalid email or password');
    assert.equal(await browser.page.getByLabel('E-mail address').inputValue(), me.email);
    await browser.assertAccessible();
    await browser.fill('Password', password);
    await browser.press('Log in');
    await browser.see(loggedIn);
  });

  it('the login asks for the code of the second factor, and refuses a wrong one', async () => {
    const me = await owner(app);
    const { secret } = await enrol(me);
    await browser.fill('E-mail address', me.email);
    await browser.fill('Password', password);
    await browser.press('Log in');
    await browser.fill('Verification code', wrongCode(secret));
    await browser.press('Log in');
    await browser.see('Invalid verification code');
    await browser.fill('Verification code', codeOf(secret, 1));
    await browser.press('Log in');
    await browser.see(loggedIn);
  });

  it('a new workspace is logged in at once, and reminded of its address until that is verified', async () => {
    await browser.follow('Create a workspace');
    await browser.fill('Company or project', '<b>Ada & sons</b>');
    await browser.fill('E-mail address', 'ada@example.com');
    await browser.fill('Password', 'password1');
    await browser.press('Create the workspace');
    await browser.see('Password is too common');
    await browser.fill('Password', 'correct horse battery');
    await browser.press('Create the workspace');
    await browser.see('<b>Ada & sons</b>');
    await browser.see('Please verify your e-mail address');
    await browser.press('Send it again');
    await browser.see(/we have sent a verification link to it/);
    await browser.assertAccessible();
    const kinds = await rows<{ kind: string }>(
      app.deps.db,
      `SELECT m.kind FROM mails m JOIN workspaces w ON w.id = m.workspace_id WHERE w.email = 'ada@example.com'`,
    );
    assert.deepEqual(
      kinds.map(({ kind }) => kind),
      ['verify_email', 'verify_email'],
    );
    await rows(app.deps.db, `UPDATE workspaces SET email_verified = true WHERE email = 'ada@example.com'`);
    await browser.page.reload();
    await browser.see(loggedIn);
    assert.equal(await browser.page.getByText('Please verify').count(), 0);
  });

  it('the form for a forgotten password is announced while it is loading, so that nobody fills in the one before it', async () => {
    await browser.page.getByRole('link', { name: 'Forgotten password' }).waitFor();
    const busy = browser.page.locator('main[aria-busy=true]');
    assert.equal(await busy.count(), 0);
    const release = await holdScreens(browser);
    await browser.page.getByRole('link', { name: 'Forgotten password' }).click();
    await busy.waitFor();
    release();
    await browser.see('Send the link');
    assert.equal(await busy.count(), 0);
  });

  it('a forgotten password is answered with an e-mail', async () => {
    const me = await owner(app);
    await browser.follow('Forgotten password');
    await browser.fill('E-mail address', me.email);
    await browser.press('Send the link');
    await browser.see(/we have sent a link to reset its password to it/);
    // The answer does not wait for it, so that it takes the same time for an unknown address.
    await until(async () => (await me.mails()).includes('reset_password'), 'the mail');
  });

  it('a link of the launcher logs in once, and leaves the address', async () => {
    const me = await owner(app);
    const link = `#token=${issueConsoleLink(app.deps.config.jwtSecret, me.email)}`;
    await browser.page.goto('about:blank');
    await browser.open(link);
    await browser.see(loggedIn);
    assert.equal(new URL(browser.page.url()).hash, '');
    await browser.leave();
    await browser.page.goto('about:blank');
    await browser.open(link);
    await browser.see(/Invalid or expired token/);
  });

  it('a link of the launcher logs in a tab that shows the console already', async () => {
    const me = await owner(app);
    await browser.open();
    await browser.see('Log in');
    await browser.open(`#token=${issueConsoleLink(app.deps.config.jwtSecret, me.email)}`);
    await browser.see(loggedIn);
    assert.equal(new URL(browser.page.url()).hash, '');
  });

  it('the same address is shown again behind the form after the session has ended', async () => {
    const me = await owner(app);
    await browser.logIn({ email: me.email, password });
    await browser.open('/send?to=%2B15551234567');
    await browser.see('Send a message');
    await me.call('POST', '/auth/logout-all');
    await browser.follow('Messages');
    await browser.see('Your session has ended. Please log in again.');
    assert.equal(new URL(browser.page.url()).pathname, '/console/messages');
    await browser.fill('E-mail address', me.email);
    await browser.fill('Password', password);
    await browser.press('Log in');
    await browser.see(loggedIn);
    assert.equal(new URL(browser.page.url()).pathname, '/console/messages');
  });

  for (const [title, away] of [
    ['is away', (route) => route.abort()],
    ['has had too many requests', (route) => route.fulfill({ status: 429, json: { success: false, error: 'Too many requests' } })],
  ] as [string, (route: Route) => Promise<void>][]) {
    it(`the login form is not shown where a service ${title} at the load, and the screen follows`, async () => {
      const me = await owner(app);
      await browser.logIn({ email: me.email, password });
      await browser.page.route('**/api/v1/workspace', away);
      await browser.open('/messages');
      await browser.page.getByRole('heading', { name: 'The console cannot be loaded' }).waitFor();
      assert.equal(await browser.page.getByLabel('Password').count(), 0);
      await browser.assertAccessible();
      await browser.page.unroute('**/api/v1/workspace');
      await browser.press('Try again');
      await browser.see('No messages yet');
    });
  }

  it('a login whose workspace cannot be read at once is no failed one, and its screen follows', async () => {
    const me = await owner(app);
    await browser.page.route('**/api/v1/workspace', (route) => route.fulfill({ status: 503, body: '<h1>Away</h1>' }), { times: 1 });
    await logInAs(browser, me.email);
    await browser.see(loggedIn);
  });

  it('a browser that keeps no cookie is told so after a login', async () => {
    const me = await owner(app);
    const refusal = { success: false, error: 'Invalid or expired token' };
    await browser.page.route('**/api/v1/workspace', (route) => route.fulfill({ status: 401, json: refusal }));
    await browser.fill('E-mail address', me.email);
    await browser.fill('Password', password);
    await browser.press('Log in');
    await browser.see('this browser does not keep its cookie');
    await browser.see('Allow cookies for this address, and open it with https');
  });

  it('a service that was away is asked again without a click', async () => {
    const me = await owner(app);
    await browser.logIn({ email: me.email, password });
    await browser.page.route('**/api/v1/workspace', (route) => route.abort(), { times: 1 });
    await browser.open('/messages');
    await browser.see('The service cannot be reached.');
    await browser.see('No messages yet');
  });

  it('logging out ends the session for its cookie too', async () => {
    const me = await owner(app);
    await browser.logIn({ email: me.email, password });
    const [cookie] = await browser.page.context().cookies();
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, 'Strict']);
    await browser.press('Log out');
    await browser.page.getByRole('heading', { name: 'Log in' }).waitFor();
    const { status } = await app.call('GET', '/api/v1/balance', { headers: { Cookie: `${cookie?.name}=${cookie?.value}` } });
    assert.equal(status, 401);
  });
});
