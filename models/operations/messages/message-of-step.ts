import { clientFieldsOf, type MessageRow, type NewMessage } from '../../tables/message.js';
import type { FallbackStep } from '../../rules/messages/fallback.js';
import { makeId } from '../../rules/values/make-id.js';

/** The message of the next step, not stored yet. @param before the message before it */
export function messageOfStep(before: MessageRow, { channel, to, content, segments, encoding }: FallbackStep, cost: number): NewMessage {
  const { workspace_id, expires_at, traceparent } = before;
  const id = makeId();
  return {
    id,
    workspace_id,
    group_id: id,
    batch_id: null,
    channel,
    to,
    content: { text: before.content.text, ...content },
    ...clientFieldsOf(before),
    idempotency_key: null,
    request_digest: null,
    status: 'accepting',
    status_detail: 'accepted',
    cost,
    segments,
    encoding,
    scheduled_at: null,
    expires_at,
    created_at: new Date(),
    traceparent,
  };
}
