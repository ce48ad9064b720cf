/** A slow service, as slow as a test needs it. */
import type { ConsoleBrowser } from './console-browser.js';

/** Keeps the answers of an address back. @returns what lets them go */
export async function holdAnswers({ page }: ConsoleBrowser, address: string | RegExp): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(address, async (route) => {
    const response = await route.fetch();
    await released;
    // The page may have given it up.
    await route.fulfill({ response }).catch(() => undefined);
  });
  return release;
}

/** The service gets the sends, the page no answers. `unroute` of the address ends it. */
export const loseAnswers = ({ page }: ConsoleBrowser, address: '**/messages/send' | '**/messages/bulk'): Promise<unknown> =>
  page.route(address, async (route) => {
    await route.fetch();
    await route.abort();
  });

/** Keeps the parts of the page back that are not loaded yet. @returns what lets them go */
export const holdScreens = (browser: ConsoleBrowser): Promise<() => void> => holdAnswers(browser, /\/assets\/part-\w+\.js$/);
