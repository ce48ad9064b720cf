import type { Overview, OverviewPart, OverviewUnit } from '../../models/operations/workspaces/read-overview.js';
import { toCredits } from '../../models/rules/billing/credits.js';
import { summaryOf } from '../../models/rules/messages/error-codes.js';
import { presentFigures, sumFigures } from './figures.js';

interface Shown {
  from: Date;
  to: Date;
  by: OverviewUnit;
  overview: Overview;
  /** What was spent lately, for the pace. */
  spent: readonly OverviewPart[];
  /** In this many days. */
  days: number;
  /** Thousandths of a credit. */
  balance: number;
}

/** The overview of a period: its sums, its parts, and how long the balance lasts. */
export function presentOverview({ from, to, by, overview, spent, days, balance }: Shown) {
  const { parts, reasons, waits } = overview;
  const perDay = sumFigures(spent).credits / days;
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    by,
    ...presentFigures(sumFigures(parts)),
    delivery_p50_ms: waits.p50Ms,
    delivery_p95_ms: waits.p95Ms,
    parts: parts.map(({ at, credits, ...part }) => ({ at: at.toISOString(), ...part, credits: toCredits(credits) })),
    failures: reasons.map(({ code, count }) => ({ error_code: code, description: summaryOf(code), messages: count })),
    balance: toCredits(balance),
    days_left: perDay <= 0 ? null : Math.round((balance / perDay) * 10) / 10,
  };
}
