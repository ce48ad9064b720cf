/** What will be sent, and its price. */
import { useEffect } from 'preact/hooks';
import { creditsText, leftAfter } from '../../parts/credits.js';
import { Facts } from '../../parts/facts.js';
import { useThrottle } from '../../state/live.js';
import { refreshSoon } from '../../state/session.js';
import type { PreviewState } from './use-preview.js';

/** How old the balance may be beside a preview, which says what a send leaves of it: programs spend, too. */
const balanceMs = 10_000;

export function Preview({ of }: { of: PreviewState }) {
  const problem = of.problem.value;
  const data = of.data.value;
  const message = data?.messages?.[0];
  const readBalance = useThrottle(refreshSoon, balanceMs);
  useEffect(() => void (data !== null && readBalance()), [data]);
  return (
    <aside class="preview" aria-label="Preview" aria-live="polite" aria-busy={of.isDue.value}>
      <h2>Preview</h2>
      {problem !== null && <p class="error">{problem.message}</p>}
      {problem === null && data !== null && message !== undefined && (
        <>
          <blockquote class="text" dir="auto">
            {message.text}
          </blockquote>
          <Facts
            facts={[
              ['Price', creditsText(data.credits)],
              ['Left after it', leftAfter(data.credits)],
              ['Segments', message.segments],
              ['Encoding', message.encoding],
              ['Characters', [...message.text].length],
            ]}
          />
          {[...message.errors, ...(data.warnings ?? [])].map(({ field, message: text }) => (
            <p key={field + text} class="error">
              {text}
            </p>
          ))}
        </>
      )}
      {problem === null && data === null && <p class="note">Recipient and text show the segments and the price.</p>}
    </aside>
  );
}
