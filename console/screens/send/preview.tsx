/** What will be sent, and its price. */
import { creditsText, leftAfter } from '../../parts/credits.js';
import { Facts } from '../../parts/facts.js';
import type { PreviewState } from './use-preview.js';

export function Preview({ of }: { of: PreviewState }) {
  const problem = of.problem.value;
  const data = of.data.value;
  const message = data?.messages?.[0];
  return (
    <aside class="preview" aria-label="Preview" aria-live="polite" aria-busy={of.isDue.value}>
      <h2>Preview</h2>
      {problem !== null && <p class="error">{problem.message}</p>}
      {problem === null && data !== null && message !== undefined && (
        <>
          <blockquote class="text">{message.text}</blockquote>
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
