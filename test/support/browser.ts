/** Chromium for tests of pages. It records console errors and requested hosts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from 'mocha';
import { chromium, type Page } from 'playwright-core';
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

/** Signs in to the console by its form. */
export async function signIn(page: Page, baseUrl: string, { email, password }: { email: string; password: string }): Promise<void> {
  await page.goto(`${baseUrl}/console/sign-in`);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

/** Starts Chromium, or skips the tests of this hook on a machine that can have none. */
export async function startBrowser(hook: Context): Promise<TestBrowser> {
  const browser = await openBrowser();
  if (browser !== undefined) return browser;
  process.stderr.write('Tests of pages are skipped: install Chromium.\n');
  return hook.skip();
}

/** Starts Chromium; undefined on a machine that can have none. */
export async function openBrowser(): Promise<TestBrowser | undefined> {
  const found = await findChromium();
  if (found === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'tidings-chromium-'));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: found.path,
    env: { ...process.env, ...found.env },
    headless: true,
    args: flags,
  });
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
  return {
    page,
    complaints,
    hosts,
    async close() {
      await context.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
