/** A browser with the console: logs in, and knows what must never happen. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Context } from 'mocha';
import type { Locator, Page } from 'playwright-core';
import { own } from '../api/accounts/console-session.js';
import { axeFindings } from '../support/axe.js';
import { click, logIn, startBrowser } from '../support/browser.js';
import { until } from '../support/client.js';

/** Texts that would do something if a page took them for code. Each sets `window.hacked`. */
export const xssTexts = [
  '<script>window.hacked = 1</script>',
  '"><img src=x onerror="window.hacked = 2">',
  "'><svg onload='window.hacked = 3'>",
  '</textarea></pre><iframe srcdoc="<script>parent.hacked = 4</script>"></iframe>',
  'javascript:window.hacked=5',
  '{{constructor.constructor("window.hacked = 6")()}}',
] as const;

export interface ConsoleBrowser {
  page: Page;
  /** Opens an address of the console: `/messages?status=failed`. */
  open(path?: string): Promise<void>;
  /** Logs in by the form. */
  logIn(login: { email: string; password: string }): Promise<void>;
  /** Logs in by a request, which takes less time than the form, and shows the first screen. What the last session stored is gone. */
  enter(login: { email: string; password: string }): Promise<void>;
  /** Without a session, as a new visitor. */
  leave(): Promise<void>;
  /** Waits until the page shows this text. */
  see(text: string | RegExp): Promise<void>;
  /** Waits until this expression is true in the page. */
  until(expression: string): Promise<void>;
  press(button: string | RegExp): Promise<void>;
  /** Waits until the link's screen is loaded: until then the one before it can be filled in. */
  follow(link: string | RegExp): Promise<void>;
  fill(label: string | RegExp, value: string): Promise<void>;
  /** The rows of tables with this text. */
  row(text: string): Locator;
  /** How many rows tables have at this moment, without their headings. */
  rowCount(): Promise<number>;
  /** Chooses a CSV file. The page reads it later: wait for what it shows of it. */
  choose(content: string | Buffer, name?: string): Promise<void>;
  /** Presses a button that saves a file. @returns its text */
  download(button: string): Promise<string>;
  /** Fails on errors and warnings of the page (a violation of the content security policy is one), on requests to other hosts and on run texts. */
  assertClean(): Promise<void>;
  /** Shows the page on a phone, until another size is set. */
  onPhone(): Promise<void>;
  /** Fails if the page is wider than the phone, so that it would scroll sideways. */
  assertFitsPhone(): Promise<void>;
  /** Fails on findings of axe: of every rule in light, of the rules about colours in dark. */
  assertAccessible(): Promise<void>;
  close(): Promise<void>;
}

/** A narrow phone, in CSS pixels. */
const phone = { width: 360, height: 740 };

/** A refused request is part of many tests; browsers complain about each. */
const isRefusal = (complaint: string) => complaint.startsWith('Failed to load resource');

export async function startConsole(hook: Context, url: string): Promise<ConsoleBrowser> {
  const browser = await startBrowser(hook);
  const { page } = browser;
  page.setDefaultTimeout(30_000);
  return {
    page,
    open: async (path = '') => void (await page.goto(`${url}/console${path}`)),
    logIn: (login) => logIn(page, url, login),
    enter: (login) => enter(page, url, login),
    async leave() {
      await page.goto('about:blank'); // a response that is on its way to the former page could set the cookie again
      await page.context().clearCookies();
      await loadStoring(page, `${url}/console/login`);
    },
    // The page's policy forbids what playwright's own wait does.
    until: (expression) => until(async () => (await page.evaluate(expression)) === true, expression),
    ...visitorOf(page),
    async assertClean() {
      assert.deepEqual(
        browser.complaints.filter((complaint) => !isRefusal(complaint)),
        [],
      );
      assert.deepEqual([...browser.hosts], [url]);
      assert.equal(await page.evaluate('window.hacked ?? null'), null, 'a text was run as code');
    },
    onPhone: () => page.setViewportSize(phone),
    async assertFitsPhone() {
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), phone.width);
    },
    async assertAccessible() {
      // Without motion nothing is half visible, which axe would take for a weak contrast.
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
      assert.deepEqual(await axeFindings(page), [], 'light');
      await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
      assert.deepEqual(await axeFindings(page, ['cat.color']), [], 'dark');
    },
    close: browser.close,
  };
}

/** What a visitor sees and does in a screen. */
function visitorOf(page: Page) {
  const press: ConsoleBrowser['press'] = (name) => click(page, page.getByRole('button', { name, ...exactly(name) }));
  return {
    see: (text) => page.getByText(text).first().waitFor(),
    press,
    async follow(name) {
      await click(page, page.getByRole('link', { name, ...exactly(name) }));
      await page.locator('main:not([aria-busy=true])').waitFor();
    },
    fill: (label, value) => page.getByLabel(label, exactly(label)).fill(value),
    row: (text) => page.getByRole('row').filter({ hasText: text }),
    rowCount: () => page.locator('tbody tr').count(),
    choose: (content, name = 'list.csv') =>
      page.getByLabel('CSV file').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) }),
    async download(button) {
      const [download] = await Promise.all([page.waitForEvent('download'), press(button)]);
      return readFile(await download.path(), 'utf8');
    },
  } satisfies Partial<ConsoleBrowser>;
}

async function enter(page: Page, url: string, login: { email: string; password: string }): Promise<void> {
  await page.context().clearCookies();
  const answer = await page.context().request.post(`${url}/console/session`, { data: login, headers: own });
  assert.equal(answer.status(), 201, await answer.text());
  const { data } = await answer.json();
  await loadStoring(page, `${url}/console`, `localStorage.setItem('tidings.session', '${data.workspace.id}')`);
}

/**
 * Loads a page whose storage holds only what this script stores. It runs before the scripts of the page: cleared after them, a page that has
 * asked for the stored session would take the refusal for the logout of another tab, and wait for it.
 */
async function loadStoring(page: Page, address: string, script = ''): Promise<void> {
  const entry = await page.addInitScript(`localStorage.clear(); ${script}`);
  await page.goto(address);
  await entry.dispose();
}

const exactly = (text: string | RegExp) => (typeof text === 'string' ? { exact: true } : {});
