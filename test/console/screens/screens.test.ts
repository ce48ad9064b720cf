/** Every screen: accessible in light and dark, on a phone and on a large display, and usable by keyboard. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { useApi } from '../../api/use-api.js';
import { root } from '../../deploy/project.js';
import { holdScreens } from '../hold-answers.js';
import { useConsole } from '../use-console.js';

const missing = '0198c5b1-0a10-7f3e-8b1d-000000000002';

/** Addresses, and a text that is there once the screen is. */
const screens: readonly (readonly [path: string, text: string | RegExp])[] = [
  ['', 'No messages yet'],
  ['/messages', 'No messages yet'],
  [`/messages/${missing}`, 'Message not found'],
  ['/send', 'Preview'],
  ['/batches', 'No batches yet'],
  ['/batches/new', 'Choose it or drop it here'],
  [`/batches/${missing}`, 'Batch not found'],
  ['/webhooks', 'No webhooks yet'],
  ['/webhooks/new', 'An https address of your program'],
  [`/webhooks/${missing}`, 'Webhook not found'],
  [`/webhooks/${missing}/edit`, 'Webhook not found'],
  [`/webhooks/${missing}/deliveries/${missing}`, 'Webhook not found'],
  ['/contacts', 'No contacts yet'],
  ['/contacts/new', 'A contact has a phone number, an e-mail address, or both'],
  ['/contacts/import', 'Choose it or drop it here'],
  [`/contacts/${missing}`, 'Contact not found'],
  ['/suppressions', 'No suppressions yet'],
  ['/suppressions/new', 'Messages to a suppressed recipient on this channel fail'],
  ['/billing', 'Signup credits'],
  ['/audit', 'workspace.created'],
  ['/keys', 'No API keys yet'],
  ['/keys/new', 'For yourself, for example the program that uses it'],
  ['/settings', 'Daily spending limit (optional)'],
  ['/none', 'There is no such screen'],
];

describe('the screens of the console', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const { browser } = useConsole(app);

  it('each screen of the console has tests', () => {
    const source = readFileSync(`${root}/console/app/screens.tsx`, 'utf8');
    const declared = [...source.matchAll(/path=\{to\((?:'([^']*)')?\)\}/g)].map(([, path = '']) => path);
    const pattern = (path: string) => new RegExp(`^/?${path.replace(/:\w+/g, '[^/]+')}$`);
    const isPublic = (path: string) => /^(login|sign-in|sign-up|forgot-password)$/.test(path);
    const absent = declared.filter((path) => !isPublic(path) && !screens.some(([address]) => pattern(path).test(address)));
    assert.ok(declared.length > 8, 'the screens were not found');
    assert.deepEqual(absent, []);
  });

  for (const [path, text] of screens) {
    it(`/console${path.replaceAll(missing, 'x')}: no finding of axe, and nothing wider than a phone`, async () => {
      await browser.onPhone();
      await browser.open(path);
      await browser.see(text);
      await browser.assertAccessible();
      await browser.assertFitsPhone();
      await browser.page.setViewportSize({ width: 3840, height: 2160 });
      await browser.assertAccessible();
    });
  }

  it('the first stop of the keyboard skips the navigation, and another screen takes the focus', async () => {
    await browser.page.setViewportSize({ width: 1280, height: 800 });
    await browser.open('/messages');
    await browser.see('No messages yet');
    await browser.page.keyboard.press('Tab');
    assert.equal(await browser.page.evaluate('document.activeElement.textContent'), 'Skip to content');
    const outline = await browser.page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
    assert.equal(outline, 'solid');
    await browser.page.getByRole('link', { name: 'Webhooks', exact: true }).focus();
    await browser.page.keyboard.press('Enter');
    await browser.see('No webhooks yet');
    assert.equal(await browser.page.evaluate('document.activeElement.id'), 'main');
    assert.equal(await browser.page.title(), 'Webhooks – Tidings console');
  });

  it('the link of the present screen is in sight on a phone', async () => {
    await browser.onPhone();
    await browser.open('/settings');
    await browser.until(`(() => {
      const { left, right } = document.querySelector('nav [aria-current]').getBoundingClientRect();
      return left >= 0 && right <= innerWidth;
    })()`);
  });

  it('a screen that is still loading is announced, and the one before it stays', async () => {
    await browser.open('/messages');
    await browser.see('No messages yet');
    const busy = browser.page.locator('main[aria-busy=true]');
    assert.equal(await busy.count(), 0);
    const release = await holdScreens(browser);
    await browser.page.getByRole('link', { name: 'Send', exact: true }).click();
    await busy.waitFor();
    await browser.see('No messages yet');
    release();
    await browser.see('Preview');
    assert.equal(await busy.count(), 0);
  });

  it('the theme is that of the system until it is chosen, and then is kept', async () => {
    await browser.page.emulateMedia({ colorScheme: 'light' });
    const background = () => browser.page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const light = await background();
    await browser.press('Theme: system');
    await browser.press('Theme: light');
    assert.notEqual(await background(), light);
    await browser.page.reload();
    await browser.press('Theme: dark');
    assert.equal(await background(), light);
  });

  it('no screen of the console is in its first script', () => {
    const assets = `${root}/dist/console/site/assets`;
    const filesWith = (text: string) =>
      readdirSync(assets).filter((name) => name.endsWith('.js') && readFileSync(`${assets}/${name}`, 'utf8').includes(text));
    for (const text of ['Send again as a copy', 'Rotate the secret']) {
      const [screen = '', ...others] = filesWith(text);
      assert.match(screen, /^part-\w+\.js$/, `the file with "${text}"`);
      assert.deepEqual(others, [], text);
    }
  });
});
