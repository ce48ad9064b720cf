/** The figures of usage, in periods and their parts. */
import type { Usage } from '../../models/operations/workspaces/sum-usage.js';
import { toCredits } from '../../models/rules/billing/credits.js';

/** The sums of these parts. */
export function sumFigures(parts: readonly Usage[]): Usage {
  const sum = (name: keyof Usage) => parts.reduce((total, part) => total + part[name], 0);
  return { messages: sum('messages'), delivered: sum('delivered'), failed: sum('failed'), credits: sum('credits') };
}

export const presentFigures = ({ messages, delivered, failed, credits }: Usage): Usage => ({
  messages,
  delivered,
  failed,
  credits: toCredits(credits),
});
