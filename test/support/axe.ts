/** Accessibility checks of pages with axe. */
import axeCore from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe finds on the page: `impact rule: element`, one for each element. It needs no change of the page's policy. */
export async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(axeCore.source);
  return page.evaluate(async () => {
    interface Violation {
      id: string;
      impact: string;
      nodes: { html: string }[];
    }
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
    const { violations } = await axe.run();
    return violations.flatMap(({ id, impact, nodes }) => nodes.map(({ html }) => `${impact} ${id}: ${html}`));
  });
}
