/** What will be sent, and its price. */
import { useEffect } from 'preact/hooks';
import type { Schema } from '../../api/call.js';
import { creditsText, leftAfter } from '../../parts/credits.js';
import { Facts } from '../../parts/facts.js';
import { useThrottle } from '../../state/live.js';
import { refreshSoon } from '../../state/session.js';
import type { PreviewState } from './use-preview.js';

type Data = Schema<'PreviewData'>;

/** How old the balance may be beside a preview, which says what a send leaves of it: programs spend, too. */
const balanceMs = 10_000;

export function Preview({ of }: { of: PreviewState }) {
  const problem = of.problem.value;
  const data = of.data.value;
  const message = data?.messages?.[0];
  const shown = problem === null && data !== null && message !== undefined ? { data, message } : null;
  const readBalance = useThrottle(refreshSoon, balanceMs);
  useEffect(() => void (data !== null && readBalance()), [data]);
  return (
    <aside class="preview" aria-label="Preview" aria-busy={of.isDue.value}>
      <h2>Preview</h2>
      {shown !== null && (
        <blockquote class="text" dir="auto">
          {shown.message.text}
        </blockquote>
      )}
      {/* Screen readers hear what it costs and what is wrong, and not each letter. */}
      <div role="status">
        {problem !== null && <p class="error">{problem.message}</p>}
        {shown !== null && <Outcome {...shown} />}
      </div>
      {shown !== null && (
        <Facts
          facts={[
            ['Balance after sending', leftAfter(shown.data.credits)],
            ['Encoding', shown.message.encoding],
            ['Characters', [...shown.message.text].length],
          ]}
        />
      )}
      {problem === null && data === null && <p class="note">Enter a recipient and a text to see the segments and the price.</p>}
    </aside>
  );
}

function Outcome({ data, message }: { data: Data; message: NonNullable<Data['messages']>[number] }) {
  return (
    <>
      {[...message.errors, ...(data.warnings ?? [])].map(({ field, message: text }) => (
        <p key={field + text} class="error">
          {text}
        </p>
      ))}
      <Facts
        facts={[
          ['Price', creditsText(data.credits)],
          ['Segments', message.segments],
        ]}
      />
    </>
  );
}
