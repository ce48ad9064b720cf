/** The fields of a message. */
import type { Schema } from '../../api/call.js';
import { to } from '../../api/base.js';
import { Code } from '../../parts/copy.js';
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
          ['To', message.to ?? 'erased'],
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
          ['Id', <code key="id">{message.id}</code>],
          ['Workflow', <code key="workflow">{timeline.workflow_id}</code>],
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
