import { openWorkspace } from '../state/session.js';
import { countText } from './count.js';

/** `1 credit`, `2.5 credits` */
export const creditsText = (credits: number): string => countText(credits, 'credit');

/** What a send leaves of the balance. */
export function leftAfter(credits: number): string {
  const workspace = openWorkspace();
  if (workspace === null) return '';
  const left = workspace.credits_balance - credits;
  return left < 0 ? 'not enough credits' : creditsText(Number(left.toFixed(3)));
}
