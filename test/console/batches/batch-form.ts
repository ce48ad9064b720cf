/** What tests of batches write into the form, and read from its preview. */
import type { Locator } from 'playwright-core';
import type { ConsoleBrowser } from '../console-browser.js';

export const csv = (...lines: string[]): string => lines.join('\r\n');
/** A cell with quotation marks and line breaks in it. */
export const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
export const phone = (index: number): string => `+1555${String(1_000_000 + index)}`;
export const numbered = (count: number, row: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => row(index));

/** Waits for the preview of a file with this text. */
export async function preview(browser: ConsoleBrowser, content: string, text: string): Promise<void> {
  await browser.open('/batches/new');
  await browser.choose(content);
  await browser.fill('Text', text);
  await browser.press('Preview');
  await browser.page.getByRole('heading', { name: 'Preview' }).waitFor();
}

/** The value beside a name. */
export const fact = ({ page }: ConsoleBrowser, name: string): Locator =>
  page
    .locator('dl div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('dd');

/** Waits for the screen of the batch that was sent. */
export const batchShown = ({ page }: ConsoleBrowser): Promise<void> => page.getByRole('heading', { name: 'Batch', exact: true }).waitFor();
