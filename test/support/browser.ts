/** Chromium for tests of pages. It records console errors and requested hosts. */
import type { Context } from 'mocha';
import { type Browser, chromium, errors, type Locator, type Page } from 'playwright-core';
import { atEndOfRun } from './end-of-run.js';
import { findChromium } from './find-chromium.js';

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface TestBrowser {
  page: Page;
  /** Console errors and warnings, and exceptions. */
  complaints: string[];
  /** Origins of all requests. */
  hosts: Set<string>;
  close(): Promise<void>;
}

/** Logs in to the console by its form. */
export async function logIn(page: Page, baseUrl: string, { email, password }: { email: string; password: string }): Promise<void> {
  await page.goto(`${baseUrl}/console/login`);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('button', { name: 'Log out' }).waitFor();
}

/**
 * Clicks also in a page that gets no more frames. After a long task on a busy machine, Chromium at times stops drawing a page until that
 * navigates. Its scripts run on, but playwright waits for two frames before a click.
 * @throws TimeoutError if a page that is drawn has no such element, or one that moves or is covered
 */
export async function click(page: Page, element: Locator): Promise<void> {
  try {
    await element.click();
  } catch (error) {
    if (!(error instanceof errors.TimeoutError) || (await isDrawn(page))) throw error;
    await element.click({ force: true });
  }
}

const isDrawn = (page: Page) =>
  page.evaluate<boolean>(`new Promise((resolve) => {
    requestAnimationFrame(() => resolve(true));
    setTimeout(() => resolve(false), 5000);
  })`);

/** A visitor's browser, or skips the tests of this hook on a machine that can have no Chromium. All test files of a process share Chromium. */
export async function startBrowser(hook: Context): Promise<TestBrowser> {
  const last = await shared?.catch(() => undefined);
  if (last?.isConnected() !== true) shared = launch();
  const running = await shared;
  if (running !== undefined) return visitorOf(running);
  process.stderr.write('Tests of pages are skipped: install Chromium.\n');
  return hook.skip();
}

/** Its start takes seconds. */
let shared: Promise<Browser | undefined> | undefined;
atEndOfRun(async () => (await shared?.catch(() => undefined))?.close());

/** Starts Chromium for one visitor, for programs that are no test; undefined on a machine that can have none. */
export async function openBrowser(): Promise<TestBrowser | undefined> {
  const own = await launch();
  return own && { ...(await visitorOf(own)), close: () => own.close() };
}

async function launch(): Promise<Browser | undefined> {
  const found = await findChromium();
  if (found === undefined) return undefined;
  return chromium.launch({ executablePath: found.path, env: { ...process.env, ...found.env }, headless: true, args: flags });
}

/** A visitor without cookies and without stored data. */
async function visitorOf(browser: Browser): Promise<TestBrowser> {
  const context = await browser.newContext({ locale: 'en-US' }); // otherwise that of the machine, which C.UTF-8 makes invalid
  const page = await context.newPage();
  const complaints: string[] = [];
  const hosts = new Set<string>();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  context.on('request', (request) => {
    if (!request.url().startsWith('data:')) hosts.add(new URL(request.url()).origin);
  });
  return { page, complaints, hosts, close: () => context.close() };
}
