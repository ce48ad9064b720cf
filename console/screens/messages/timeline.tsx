/** The timeline of a message: every step, oldest first. */
import type { Schema } from '../../api/call.js';
import { to } from '../../api/base.js';
import { Code } from '../../parts/copy.js';
import { Facts } from '../../parts/facts.js';
import { Time } from '../../parts/time.js';

type Step = Schema<'TimelineStep'>;

const signs: Readonly<Record<Step['type'], string>> = {
  accepted: '●',
  charged: '−',
  attempt: '➤',
  sent: '➤',
  report: '✉',
  delivered: '✓',
  read: '✓',
  failed: '✕',
  refunded: '+',
  fallback: '↳',
  event: '⚑',
  delivery: '⇢',
};

export function Timeline({ steps }: { steps: readonly Step[] }) {
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline">Timeline</h2>
      <ol class="timeline">
        {steps.map((step, index) => (
          <li key={`${step.at} ${step.type} ${index}`} class={step.type}>
            <span class="sign" aria-hidden="true">
              {signs[step.type]}
            </span>
            <div>
              <Time at={step.at} /> <span class="note">{step.type}</span>
              <p>
                {step.text} <DeliveryLink step={step} />
              </p>
              <StepDetails details={step.details} number={index + 1} />
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

function DeliveryLink({ step: { type, details } }: { step: Step }) {
  const { webhook_id: webhook, delivery_id: delivery } = details;
  if (type !== 'delivery' || typeof webhook !== 'string' || typeof delivery !== 'string') return null;
  return <a href={to(`webhooks/${webhook}/deliveries/${delivery}`)}>Show the delivery</a>;
}

/** Values come from carriers and receivers, too: they are only ever text. */
function StepDetails({ details, number }: { details: Step['details']; number: number }) {
  const given = Object.entries(details).filter(([, value]) => value !== null && value !== undefined && value !== '');
  if (given.length === 0) return null;
  const shown = (name: string, value: unknown) =>
    typeof value === 'string' ? value : <Code label={`${name} of step ${number}`}>{JSON.stringify(value, null, 2)}</Code>;
  return (
    <details>
      <summary>Details</summary>
      <Facts facts={given.map(([name, value]) => [name.replaceAll('_', ' '), shown(name, value)])} />
    </details>
  );
}
