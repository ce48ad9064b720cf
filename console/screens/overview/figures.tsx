/** The sums of the period. */
import { countText, numberText } from '../../parts/count.js';
import { creditsText } from '../../parts/credits.js';
import { durationText } from '../../parts/time.js';
import type { OverviewData } from './overview-data.js';

/** Six figures: every row is full, with 6, 3 or 2 columns (`.figures` in `styles/screens.css`). */
export function Figures({ overview }: { overview: OverviewData }) {
  const { messages, delivered, failed, credits, delivery_p50_ms: p50, delivery_p95_ms: p95, balance, days_left: daysLeft } = overview;
  return (
    <dl class="figures">
      <Figure name="Messages" value={numberText(messages)} />
      <Figure name="Delivered" value={shareText(delivered, messages)} note={countText(delivered, 'message')} />
      <Figure name="Failed" value={shareText(failed, messages)} note={countText(failed, 'message')} />
      <Figure
        name="Time to delivery"
        value={p50 === null ? '–' : durationText(p50)}
        note={p95 === null ? 'no deliveries' : `median; 95 % within ${durationText(p95)}`}
      />
      <Figure name="Spent" value={creditsText(credits)} />
      <Figure name="Balance" value={creditsText(balance)} note={leftText(daysLeft)} />
    </dl>
  );
}

function Figure({ name, value, note }: { name: string; value: string; note?: string }) {
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd class="value">{value}</dd>
      {note !== undefined && <dd class="note">{note}</dd>}
    </div>
  );
}

function shareText(part: number, whole: number): string {
  if (whole === 0) return '–';
  return `${numberText(Math.floor((part / whole) * 1000) / 10)} %`;
}

function leftText(days: number | null): string {
  if (days === null) return 'nothing was spent in the last 7 days';
  return days < 1 ? 'less than a day left at the current rate' : `${countText(Math.floor(days), 'day')} left at the current rate`;
}
