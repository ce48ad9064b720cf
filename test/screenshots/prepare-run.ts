/** What every program that takes pictures needs: a folder for its service, and a browser. */
import type { Page } from 'playwright-core';
import type { Cleanup } from '../../harness/stage/cleanup.js';
import { temporaryFolder } from '../../harness/stage/temporary-folder.js';
import { openBrowser } from '../support/browser.js';

/**
 * @param name part of the folder's name
 * @throws Error on a machine without Chromium
 */
export async function prepareRun(name: string, cleanup: Cleanup): Promise<{ dataDir: string; page: Page }> {
  const dataDir = temporaryFolder(name, cleanup);
  const browser = await openBrowser();
  if (browser === undefined) throw new Error('install Chromium');
  cleanup.add(() => browser.close());
  return { dataDir, page: browser.page };
}
