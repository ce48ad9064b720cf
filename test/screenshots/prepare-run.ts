/** What every program that takes pictures needs: a folder for its service, and a browser. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Cleanup } from '../../harness/stage/cleanup.js';
import { openBrowser } from '../support/browser.js';

/**
 * The folder is removed at the end, or kept for its logs if the run fails.
 * @param name part of the folder's name
 * @throws Error on a machine without Chromium
 */
export async function prepareRun(name: string, cleanup: Cleanup): Promise<{ dataDir: string; page: Page }> {
  const folder = mkdtempSync(join(tmpdir(), `tidings-${name}-`));
  cleanup.add((hasFailed) => (hasFailed ? undefined : rmSync(folder, { recursive: true, force: true, maxRetries: 3 })));
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  const browser = await openBrowser();
  if (browser === undefined) throw new Error('install Chromium');
  cleanup.add(() => browser.close());
  return { dataDir, page: browser.page };
}
