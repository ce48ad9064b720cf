/** One attempt of a delivery: request, response, timings. What receivers return is only ever text. */
import type { Schema } from '../../api/call.js';
import { Code } from '../../parts/copy.js';
import { Facts } from '../../parts/facts.js';
import { durationText, Time } from '../../parts/time.js';
import { reasonOf } from './reasons.js';

type Shown = Schema<'DeliveryAttempt'>;

const triggers = { scheduled: 'scheduled', manual: 'resend', replay: 'replay', test: 'test' } as const;

export function Attempt({ attempt }: { attempt: Shown }) {
  const reason = reasonOf(attempt);
  return (
    <article class="summary">
      <h3>{`Attempt ${attempt.number}, ${triggers[attempt.trigger]}`}</h3>
      <p class={reason === null ? '' : 'error'}>{reason ?? `Acknowledged with ${attempt.response_status ?? ''}`}</p>
      <Facts
        facts={[
          ['At', <Time key="at" at={attempt.at} />],
          ['Duration', durationText(attempt.duration_ms)],
          ['Status', attempt.response_status],
          ['Address', attempt.remote_address],
        ]}
      />
      {attempt.timings !== null && <Timings {...attempt.timings} />}
      <details>
        <summary>Request</summary>
        <p>
          POST <code>{attempt.url}</code>
        </p>
        <Headers headers={attempt.request_headers} label={`Headers of request ${attempt.number}`} />
      </details>
      <details>
        <summary>Response</summary>
        <Headers headers={attempt.response_headers} label={`Headers of response ${attempt.number}`} />
        {attempt.response_body === null ? (
          <p>No body.</p>
        ) : (
          <Code label={`Body of response ${attempt.number}`}>{attempt.response_body}</Code>
        )}
      </details>
    </article>
  );
}

function Headers({ headers, label }: { headers: Shown['request_headers']; label: string }) {
  if (headers === null) return <p>No headers.</p>;
  return <Code label={label}>{Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\n`)}</Code>;
}

/** How long each phase took, in their order. A connection that was open already has no name look-up, connect and TLS. */
function Timings({ dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms }: NonNullable<Shown['timings']>) {
  const steps = [
    ['Name look-up', dns_ms],
    ['Connect', connect_ms],
    ['TLS', tls_ms],
    ['Until the first byte', first_byte_ms],
    ['In total', total_ms],
  ] as const;
  return <Facts facts={steps.map(([name, ms]) => [name, ms === null ? null : durationText(ms)])} />;
}
