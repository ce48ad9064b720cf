/** The links of account mails, opened in a real browser. */
import assert from 'node:assert/strict';
import { loadMail } from '../../../models/operations/mails/load-mail.js';
import { mailToken } from '../../../models/rules/accounts/mail-token.js';
import { renderMail } from '../../../models/rules/accounts/mail-texts.js';
import { axeFindings } from '../../support/axe.js';
import { startBrowser, type TestBrowser } from '../../support/browser.js';
import { rows } from '../../support/database.js';
import { useApi } from '../use-api.js';

const email = 'ada@example.com';
const password = 'correct horse';
/** What Chromium logs about a response with 400. */
const refused = 'Failed to load resource: the server responded with a status of 400 (Bad Request)';

describe('pages behind the links in mails', () => {
  const app = useApi();
  let browser: TestBrowser;
  before(async function () {
    browser = await startBrowser(this);
  });
  afterEach('the pages in mails log no error, and request no other host', () => {
    assert.deepEqual(browser.complaints, []);
    assert.deepEqual(
      [...browser.hosts].filter((host) => host !== app.url),
      [],
    );
  });
  after(() => browser?.close());

  const signUp = () => app.call('POST', '/api/v1/auth/signup', { body: { email, password, company_name: 'Acme' } });
  const forget = () => app.call('POST', '/api/v1/auth/forgot-password', { body: { email } });
  const logIn = (secret: string) => app.call('POST', '/api/v1/auth/login', { body: { email, password: secret } });

  /** The link in the mail that was put into the outbox last. */
  async function newestLink(): Promise<string> {
    const [newest] = await rows<{ id: string }>(app.deps.db, 'SELECT id FROM mails ORDER BY created_at DESC, id DESC LIMIT 1');
    const mail = await loadMail(app.deps.db, newest?.id ?? '');
    assert.ok(mail?.token_id);
    const token = mailToken(app.deps.config.secretKey, mail.token_id);
    const { text } = renderMail(mail.kind, { name: mail.name, publicUrl: app.url, token, isVerified: false });
    return /^http\S+$/m.exec(text)?.[0] ?? '';
  }

  const hintIs = (text: string) => browser.page.getByRole('status').locator('.hint', { hasText: text }).waitFor();
  const outcomeIs = (text: string) => browser.page.getByRole('status').filter({ hasText: text }).waitFor();

  for (const path of ['/verify-email', '/reset-password', '/forgot-password', '/resend-verification']) {
    it(`${path}: 200 with a strict policy, and without the token in the page`, async () => {
      const response = await fetch(`${app.url}${path}?token=%22%3E%3Cscript%3E`);
      const html = await response.text();
      assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
      assert.equal(response.headers.get('cache-control'), 'no-store');
      assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
      assert.match(response.headers.get('x-ratelimit-remaining') ?? '', /^\d+$/);
      const policy = response.headers.get('content-security-policy') ?? '';
      assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; .*form-action 'none'/);
      assert.doesNotMatch(policy, /unsafe|https?:|\*/);
      assert.doesNotMatch(html, /<script>|https?:\/\/|\son\w+=/);
    });
  }

  it('the page in a mail verifies the address when the button is pressed, not when the page is opened', async () => {
    await signUp();
    const link = await newestLink();
    for (const method of ['HEAD', 'GET', 'GET']) assert.equal((await fetch(link, { method })).status, 200);
    await browser.page.goto(link);
    assert.equal((await logIn(password)).body.data.workspace.email_verified, false);
    await browser.page.getByRole('button', { name: 'Verify' }).click();
    await outcomeIs('E-mail address verified.');
    assert.equal(await browser.page.getByRole('button').count(), 0);
    assert.equal((await logIn(password)).body.data.workspace.email_verified, true);
  });

  it('the page in a mail sets the new password, and the old one is refused', async () => {
    await forget();
    await browser.page.goto(await newestLink());
    await browser.page.getByLabel('New password').fill('another horse');
    await browser.page.getByRole('button', { name: 'Set password' }).click();
    await outcomeIs('Password changed. Please log in again.');
    assert.equal((await logIn('another horse')).status, 200);
    assert.equal((await logIn(password)).status, 401);
  });

  it('the page for a new password revokes the API keys only if the box is ticked', async () => {
    const { body } = await logIn('another horse');
    const jwt = body.data.token as string;
    await app.call('POST', '/api/v1/api-keys', { jwt, body: { name: 'k' } });
    const isActive = async () => (await rows<{ is_active: boolean }>(app.deps.db, 'SELECT is_active FROM api_keys'))[0]?.is_active;
    for (const isTicked of [false, true]) {
      await forget();
      await browser.page.goto('about:blank');
      await browser.page.goto(await newestLink());
      const box = browser.page.getByRole('checkbox', { name: 'Also revoke all API keys' });
      assert.equal(await box.isChecked(), false);
      assert.deepEqual(await axeFindings(browser.page), []);
      if (isTicked) {
        await box.focus();
        await browser.page.keyboard.press('Space');
      }
      await browser.page.getByLabel('New password').fill('another horse');
      await browser.page.getByRole('button', { name: 'Set password' }).click();
      await outcomeIs('Password changed. Please log in again.');
      assert.equal(await isActive(), !isTicked);
    }
  });

  it('the page for a new password says that its link was replaced, and leads to a new one', async function () {
    await forget();
    const link = await newestLink();
    await forget(); // a newer link voids the older
    await browser.page.goto(link);
    await browser.page.getByLabel('New password').fill('third horse');
    await browser.page.getByRole('button', { name: 'Set password' }).click();
    await outcomeIs('Invalid or expired token');
    await hintIs('The link was used already, or a newer e-mail or a change of the password has replaced it');
    assert.equal(await browser.page.getByRole('button', { name: 'Set password' }).isEnabled(), true);
    assert.equal(await browser.page.evaluate('document.activeElement.textContent'), 'Set password');
    await browser.page.route('**/auth/reset-password', (route) => route.abort(), { times: 1 });
    await browser.page.getByRole('button', { name: 'Set password' }).click();
    await outcomeIs('The service cannot be reached. Please try again.');
    assert.equal(await browser.page.locator('.hint').textContent(), '', 'the hint of the answer before');
    await browser.page.getByRole('link', { name: 'Get a new one' }).click();
    await browser.page.getByLabel('E-mail address').fill(email);
    await browser.page.getByRole('button', { name: 'Send the link' }).click();
    await outcomeIs('If this address belongs to a workspace');
    assert.match(await newestLink(), /\/reset-password#token=/);
    assert.deepEqual(browser.complaints.splice(0), [refused, 'Failed to load resource: net::ERR_FAILED']);
  });

  it('the page of a used link says that the address is verified', async () => {
    const other = 'grace@example.com';
    await app.call('POST', '/api/v1/auth/signup', { body: { email: other, password, company_name: 'Acme' } });
    const link = await newestLink();
    await browser.page.goto(link);
    await browser.page.getByRole('button', { name: 'Verify' }).click();
    await outcomeIs('E-mail address verified.');
    await browser.page.goto(link); // in the same tab: only the fragment changes
    await browser.page.getByRole('button', { name: 'Verify' }).click();
    await outcomeIs('Invalid or expired token');
    await hintIs('The address is verified already: you can log in');
    assert.deepEqual(browser.complaints.splice(0), [refused]);
  });

  it('the token of a link leaves the address when its page opens, and a reload has none', async () => {
    await forget();
    const link = await newestLink();
    await browser.page.goto(link);
    assert.equal(browser.page.url(), `${app.url}/reset-password`);
    await browser.page.reload();
    await browser.page.getByLabel('New password').fill('fourth horse');
    await browser.page.getByRole('button', { name: 'Set password' }).click();
    await outcomeIs('Missing required field: token');
    assert.deepEqual(browser.complaints.splice(0), [refused]);
    await browser.page.goto(link);
    await browser.page.getByLabel('New password').fill('fourth horse');
    await browser.page.getByRole('button', { name: 'Set password' }).click();
    await outcomeIs('Password changed. Please log in again.');
    assert.deepEqual([...browser.hosts], [app.url]);
  });
});
