/** The fields of a message. */
import type { Schema } from '../../api/call.js';
import { to } from '../../api/base.js';
import { Code, CopyValue } from '../../parts/copy.js';
import { countText } from '../../parts/count.js';
import { creditsText } from '../../parts/credits.js';
import { Facts } from '../../parts/facts.js';
import { Time } from '../../parts/time.js';

export function Details({ message, timeline }: { message: Schema<'Message'>; timeline: Schema<'Timeline'> }) {
  const { content, batch_id, segments, encoding, metadata } = message;
  const carrier = segments === null ? null : `${countText(segments, 'segment')}, ${encoding ?? ''}`;
  const other = (id: string) => <a href={to(`messages/${id}`)}>{id}</a>;
  return (
    <section aria-labelledby="details">
      <h2 id="details">Details</h2>
      <Facts
        facts={[
          ['To', message.to === null ? 'erased' : <Recipient key="to" to={message.to} />],
          ['Channel', message.channel],
          ['Price', creditsText(message.credits_used)],
          ['Segments', carrier],
          ['Accepted', <Time key="at" at={message.created_at} />],
          ['Scheduled', message.scheduled_at && <Time at={message.scheduled_at} />],
          ['Expires', message.expires_at && <Time at={message.expires_at} />],
          ['Reference', message.reference],
          ['Batch', batch_id && <a href={to(`batches/${batch_id}`)}>{batch_id}</a>],
          ['Fallback for', message.fallback_of && other(message.fallback_of)],
          ['Fallback message', message.fallback?.message_id && other(message.fallback.message_id)],
          ['Provider', [message.provider, message.provider_message_id].filter(Boolean).join(': ')],
          ['Id', <CopyValue key="id" value={message.id} label="the id" />],
          ['Workflow', <CopyValue key="workflow" value={timeline.workflow_id} label="the id of the workflow" />],
        ]}
      />
      {content === null ? <p class="note">The text was erased.</p> : <Content content={content} />}
      {metadata !== null && (
        <details>
          <summary>Metadata</summary>
          <Code label="Metadata">{JSON.stringify(metadata, null, 2)}</Code>
        </details>
      )}
    </section>
  );
}

const Recipient = ({ to: recipient }: { to: string }) => (
  <>
    <CopyValue value={recipient} label="the recipient" /> <a href={to('messages', { to: recipient })}>All messages to this recipient</a>
  </>
);

/** HTML of an e-mail is shown as text: it must not run here. */
function Content({ content: { subject, text, html, template } }: { content: Schema<'MessageContent'> }) {
  return (
    <>
      {subject !== undefined && (
        <p>
          <strong dir="auto">{subject}</strong>
        </p>
      )}
      <blockquote class="text" dir="auto">
        {text}
      </blockquote>
      {html !== undefined && (
        <details>
          <summary>HTML</summary>
          <Code label="HTML">{html}</Code>
        </details>
      )}
      {template !== undefined && (
        <details>
          <summary>{`Template ${template.name}`}</summary>
          <Code label="Template">{JSON.stringify(template, null, 2)}</Code>
        </details>
      )}
    </>
  );
}
