/** Accessibility checks of pages with axe. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

/** Less than half as long as the source that the module exports, which every page would have to parse. */
const source = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/**
 * What axe finds on the page: `impact rule: element`, one for each element. It needs no change of the page's policy.
 * @param tags only the rules with one of these tags of axe
 */
export async function axeFindings(page: Page, tags?: readonly string[]): Promise<string[]> {
  // A page keeps axe until it is loaded anew. Its source has half a megabyte.
  if (await page.evaluate('!("axe" in window)')) await page.evaluate(source);
  return page.evaluate(
    async (options) => {
      interface Violation {
        id: string;
        impact: string;
        nodes: { html: string }[];
      }
      const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<{ violations: Violation[] }> } };
      const { violations } = await axe.run(options);
      return violations.flatMap(({ id, impact, nodes }) => nodes.map(({ html }) => `${impact} ${id}: ${html}`));
    },
    { resultTypes: ['violations'], ...(tags && { runOnly: { type: 'tag', values: [...tags] } }) },
  );
}
