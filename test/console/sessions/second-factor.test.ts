/** The second factor in a browser: its QR code as a camera sees it, and its state. */
import assert from 'node:assert/strict';
import { decodeQR } from 'qr/decode.js';
import { password } from '../../api/accounts/owner.js';
import { codeOf, enrol, wrongCode } from '../../api/accounts/second-factor.js';
import { useApi } from '../../api/use-api.js';
import { readPng } from '../../screenshots/small-png.js';
import { rows } from '../../support/database.js';
import { useConsole } from '../use-console.js';

describe('the second factor in the console', function () {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const { browser, me } = useConsole(app, { forEachTest: true });
  const section = () => browser.page.getByRole('region', { name: 'Second factor', exact: true });
  const button = (name: string) => section().getByRole('button', { name, exact: true });
  const qrCode = () => section().getByRole('img', { name: /^QR code/ });
  /** The value of a fact, once it is shown. */
  const fact = (name: string) =>
    section()
      .locator('div', { has: browser.page.getByText(name, { exact: true }) })
      .locator('dd')
      .innerText();
  const open = async (state: 'Enabled' | 'Disabled') => {
    await browser.open('/settings');
    await section().getByText(state, { exact: true }).waitFor();
  };
  const copied = (label: string) => browser.page.getByRole('region', { name: label, exact: true }).innerText();
  /** Presses the button for a new secret. */
  const offer = async () => {
    await button('Set up an authenticator app').click();
    await qrCode().waitFor();
    const url = await section().getByRole('link', { name: 'open the app' }).getAttribute('href');
    return { url: url ?? '', secret: await copied('the secret'), codes: (await copied('the recovery codes')).split('\n') };
  };
  const confirm = async (code: string) => {
    await section().getByLabel('Code of the app', { exact: true }).fill(code);
    await button('Enable').click();
  };
  const disable = async (code: string) => {
    await section().getByText('Disable the second factor', { exact: true }).click();
    await section().getByLabel('Code of the app, or a recovery code').fill(code);
    await button('Disable').click();
  };
  /** What a camera reads on the screen. The screenshot ends at the edges of the code: its quiet zone must be its own. */
  const scan = async () => decodeQR(readPng(await qrCode().screenshot()));

  it('the second factor is enabled with a code, asked for at the next login, and disabled', async () => {
    await open('Disabled');
    assert.equal(await section().getByText('Disable the second factor', { exact: true }).count(), 0);
    const { secret, codes } = await offer();
    await confirm(wrongCode(secret));
    await section().getByText('Invalid verification code').waitFor();
    await browser.assertAccessible();
    await confirm(codeOf(secret));
    await browser.see('TOTP is enabled: logins need a code from now on.');
    await section().getByText('Enabled', { exact: true }).waitFor();
    assert.equal(await button('Set up an authenticator app').count(), 0);
    await browser.press('Log out');
    await browser.page.getByRole('button', { name: 'Log in' }).waitFor(); // the settings have an e-mail address, too
    await browser.fill('E-mail address', me.email);
    await browser.fill('Password', password);
    await browser.press('Log in');
    await browser.fill('Verification code', codeOf(secret, 1));
    await browser.press('Log in');
    await section().getByText('Enabled', { exact: true }).waitFor();
    await browser.assertAccessible();
    await disable(codes[0] ?? '');
    await browser.see('TOTP is disabled: logins need no code.');
    await section().getByText('Disabled', { exact: true }).waitFor();
    assert.equal((await me.logIn()).status, 200);
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`a camera reads the address of the secret in ${colorScheme}`, async () => {
      await browser.page.emulateMedia({ colorScheme });
      await open('Disabled');
      const { url, secret } = await offer();
      assert.equal(new URL(url).searchParams.get('secret'), secret);
      assert.equal(await scan(), url);
      const { width, data } = readPng(await qrCode().screenshot());
      // Modules have five pixels; the outermost pixels can be those of the page.
      const line = (y: number, from: number, to: number) => new Set(data.subarray((y * width + from) * 3, (y * width + to) * 3));
      assert.deepEqual(line(10, 2, width - 2), new Set([255]), 'the quiet zone is white');
      assert.deepEqual(line(22, 22, 53), new Set([0]), 'the first line of the code is black');
    });
  }

  it('a camera reads the address of the longest e-mail address, on a phone too', async () => {
    const email = `${'a+b'.repeat(20)}@${`${'x'.repeat(59)}.`.repeat(3)}example.com`;
    await rows(app.deps.db, 'UPDATE workspaces SET email = $2 WHERE id = $1', [me.workspaceId, email]);
    await open('Disabled');
    const { url } = await offer();
    assert.ok(url.includes(encodeURIComponent(email)));
    assert.equal(await scan(), url);
    await browser.onPhone();
    await browser.assertFitsPhone();
    assert.equal(await scan(), url);
  });

  it('the screen with the code of a second factor has no finding of axe, and the keyboard goes on at it', async () => {
    await open('Disabled');
    await button('Set up an authenticator app').focus();
    await browser.page.keyboard.press('Enter');
    await qrCode().waitFor();
    await browser.until('document.activeElement.textContent.startsWith("Scan this code")');
    await browser.assertAccessible();
  });

  it('nothing of the secret stays in the page after it is confirmed', async () => {
    await open('Disabled');
    const { secret, codes } = await offer();
    const left = async () => {
      const values = '[...document.querySelectorAll("input")].map(({ value }) => value)';
      const page = `JSON.stringify([document.documentElement.outerHTML, ${values}, location.href, history.state, {...localStorage}, {...sessionStorage}])`;
      const text = String(await browser.page.evaluate(page));
      return [secret, 'otpauth:', ...codes].filter((part) => text.includes(part));
    };
    assert.equal((await left()).length, 12);
    await confirm(codeOf(secret));
    await section().getByText('Enabled', { exact: true }).waitFor();
    assert.deepEqual(await left(), []);
    assert.equal(await qrCode().count(), 0);
    await browser.until('document.activeElement.id === "totp"');
  });

  it('a secret that was not confirmed is put away by Cancel', async () => {
    await open('Disabled');
    await offer();
    await button('Cancel').click();
    await button('Set up an authenticator app').waitFor();
    assert.equal(await qrCode().count(), 0);
    assert.equal((await me.logIn()).status, 200);
  });

  it('the second factor in the console shows since when it is on, and how many recovery codes are left', async () => {
    const {
      recovery_codes: [code],
    } = await enrol(me);
    await open('Enabled');
    assert.equal(await fact('Recovery codes left'), '10');
    const [stored] = await rows<{ at: Date }>(app.deps.db, 'SELECT totp_confirmed_at AS at FROM workspaces WHERE id = $1', [
      me.workspaceId,
    ]);
    assert.equal(await section().locator('time').getAttribute('datetime'), stored?.at.toISOString());
    assert.equal((await me.logIn(password, { code })).status, 200);
    await open('Enabled');
    assert.equal(await fact('Recovery codes left'), '9');
  });

  describe('after another tab', () => {
    it('a new secret is refused, and "Enabled" is shown, after another tab enabled the second factor', async () => {
      await open('Disabled');
      await enrol(me);
      await button('Set up an authenticator app').click();
      await browser.see(/^TOTP is already enabled\./);
      await section().getByText('Enabled', { exact: true }).waitFor();
    });

    it('the offered secret disappears after another tab enabled the second factor with another one', async () => {
      await open('Disabled');
      const { secret } = await offer();
      await enrol(me);
      await confirm(codeOf(secret));
      await browser.see(/^There is no TOTP secret to confirm\./);
      await section().getByText('Enabled', { exact: true }).waitFor();
      assert.equal(await qrCode().count(), 0);
    });

    it('"Disabled" is shown after another tab disabled the second factor', async () => {
      const {
        recovery_codes: [code = ''],
      } = await enrol(me);
      await open('Enabled');
      assert.equal((await me.call('DELETE', '/auth/totp', { code })).status, 200);
      await disable('000000');
      await browser.see(/^TOTP is not enabled\./);
      await section().getByText('Disabled', { exact: true }).waitFor();
    });
  });

  it('a second factor whose state cannot be read is shown neither enabled nor disabled, and is read again', async () => {
    await browser.page.route('**/console/session/totp', (route) => route.abort());
    await browser.open('/settings');
    await section().getByText('The service cannot be reached.').waitFor();
    for (const name of ['Set up an authenticator app', 'Disable']) assert.equal(await button(name).count(), 0);
    await browser.page.unroute('**/console/session/totp');
    await button('Try again').click();
    await section().getByText('Disabled', { exact: true }).waitFor();
  });
});
