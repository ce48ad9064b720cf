/** Pictures of the screens, as files for the documents. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { root } from '../deploy/project.js';
import { logIn } from '../support/browser.js';
import type { Filled } from './fill-workspace.js';
import { smallPng } from './small-png.js';

/** Seen from the project's folder. */
const folder = 'docs/images/console';
const size = { width: 1280, height: 800 };

/** The names of the pictures and the addresses of the screens, with a text that is there when the data is. */
const screensOf = ({ message, batch, webhook, delivery, contact }: Filled): readonly (readonly [string, string, string | RegExp])[] => [
  ['overview', '', 'Credits'],
  ['messages', '/messages', 'order-4147'],
  ['message', `/messages/${message}`, 'Delivered to the recipient'],
  ['send', '/send?to=%2B15550101107', 'Balance after sending'],
  ['batches', '/batches', 'completed'],
  ['batch', `/batches/${batch}`, 'completed'],
  ['webhooks', '/webhooks', 'Order system'],
  ['webhook', `/webhooks/${webhook}`, 'Deliveries'],
  ['delivery', `/webhooks/${webhook}/deliveries/${delivery}`, /The receiver returned 500/],
  ['contacts', '/contacts', 'Ada Lovelace'],
  ['contact', `/contacts/${contact}`, 'Custom fields'],
  ['suppressions', '/suppressions', 'former.customer@example.org'],
  ['keys', '/keys', 'order service'],
  ['billing', '/billing', 'purchase'],
  ['audit', '/audit', 'webhook.created'],
  ['settings', '/settings', 'Daily spending limit (optional)'],
];

/** The ones that the README shows are there in dark as well. */
const inDark = ['overview', 'message', 'delivery'];

/** Takes all pictures anew. They replace the former ones when all are taken. @returns the paths of the files, seen from the project's folder */
export async function takePictures(page: Page, baseUrl: string, filled: Filled): Promise<string[]> {
  await page.setViewportSize(size);
  await logIn(page, baseUrl, filled.login);
  const pictures = new Map<string, Buffer>();
  for (const [name, address, text] of screensOf(filled)) {
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await page.goto(`${baseUrl}/console${address}`);
    if (name === 'send')
      await page.getByLabel('Text', { exact: true }).fill('Hello Grace, “Solaris” is here. We keep it for you until Friday.');
    await page.getByText(text).first().waitFor();
    await page.locator('.loading').first().waitFor({ state: 'detached' });
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    if (name === 'overview') await page.locator('.chart canvas').first().waitFor();
    for (const colorScheme of inDark.includes(name) ? (['light', 'dark'] as const) : (['light'] as const)) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const path = join(folder, `${name}${colorScheme === 'dark' ? '-dark' : ''}.png`);
      pictures.set(path, smallPng(await page.screenshot({ animations: 'disabled', caret: 'hide' })));
    }
  }
  rmSync(join(root, folder), { recursive: true, force: true });
  mkdirSync(join(root, folder), { recursive: true });
  for (const [path, picture] of pictures) writeFileSync(join(root, path), picture);
  return [...pictures.keys()];
}
