/** The console of a `describe`, in a browser in which a new workspace is logged in. */
import { type Owner, owner, password } from '../api/accounts/owner.js';
import type { TestApp } from '../api/start-app.js';
import { type ConsoleBrowser, startConsole } from './console-browser.js';

interface Options {
  /** Logs in a workspace for each test, where tests change what others see. */
  forEachTest?: boolean;
}

/**
 * Call it after `useApi`: hooks run in the order of their registration. After each test its routes end, and the page must be clean.
 * @returns the browser and the owner of the workspace, for tests and later hooks
 */
export function useConsole(app: TestApp, { forEachTest = false }: Options = {}): { browser: ConsoleBrowser; me: Owner } {
  const used = { browser: {} as ConsoleBrowser, me: {} as Owner };
  const logIn = async () => {
    Object.assign(used.me, await owner(app));
    await used.browser.enter({ email: used.me.email, password });
  };
  before(async function () {
    Object.assign(used.browser, await startConsole(this, app.url));
  });
  if (forEachTest) beforeEach(logIn);
  else before(logIn);
  afterEach(() => used.browser.page.unrouteAll({ behavior: 'ignoreErrors' }));
  afterEach(() => used.browser.assertClean());
  after(async () => {
    if ('close' in used.browser) await used.browser.close();
  });
  return used;
}

/** Logs in with the form that is shown. */
export async function logInAs(browser: ConsoleBrowser, email: string): Promise<void> {
  await browser.fill('E-mail address', email);
  await browser.fill('Password', password);
  await browser.press('Log in');
  await browser.page.getByTitle(email).waitFor();
}
