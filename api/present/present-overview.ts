import type { Overview } from '../../models/operations/workspaces/read-overview.js';
import { toCredits } from '../../models/rules/billing/credits.js';
import { summaryOf } from '../../models/rules/messages/error-codes.js';
import { presentFigures, sumFigures } from './figures.js';

/** The sums of a period, and its parts. */
export const presentOverview = ({ parts, reasons, waits }: Overview) => ({
  ...presentFigures(sumFigures(parts)),
  delivery_p50_ms: waits.p50Ms,
  delivery_p95_ms: waits.p95Ms,
  parts: parts.map(({ at, credits, ...part }) => ({ at: at.toISOString(), ...part, credits: toCredits(credits) })),
  failures: reasons.map(({ code, count }) => ({ error_code: code, description: summaryOf(code), messages: count })),
});

/** How many days the balance, in thousandths of a credit, lasts at the pace of these days; null if nothing was spent. */
export function daysLeft(balance: number, { parts }: Overview, days: number): number | null {
  const perDay = sumFigures(parts).credits / days;
  return perDay <= 0 ? null : Math.round((balance / perDay) * 10) / 10;
}
