/** From the body of a request to the row of a message. */
import { v7 as uuidv7 } from 'uuid';
import { invalidField } from '../../models/errors.js';
import type { NewMessage } from '../../models/message.js';
import { priceOf } from '../../models/rules/credits.js';
import { carrierView } from '../../models/rules/segments.js';
import type { Caller } from '../endpoint.js';
import type { SendBody } from './message-schemas.js';

/** The row of a message that nobody has decided on. */
export function newMessage({ workspaceId }: Caller, body: SendBody, idempotencyKey: string | null, digest: Buffer): NewMessage {
  const now = new Date();
  const { scheduled_at = null, expires_at = null } = body;
  // Not in the schema: a repeated request is answered also after its message has expired.
  if (expires_at !== null && expires_at <= now) throw invalidField('expires_at', 'expires_at must be in the future');
  if (expires_at !== null && scheduled_at !== null && expires_at <= scheduled_at) {
    throw invalidField('expires_at', 'expires_at must be after scheduled_at');
  }
  const id = uuidv7();
  return {
    id,
    workspace_id: workspaceId,
    group_id: id,
    batch_id: null,
    channel: body.channel,
    to: body.to,
    content: contentOf(body),
    metadata: body.metadata ?? null,
    reference: body.reference ?? null,
    idempotency_key: idempotencyKey,
    request_digest: idempotencyKey === null ? null : digest,
    status: 'accepting',
    status_detail: scheduled_at !== null && scheduled_at > now ? 'scheduled' : 'accepted',
    cost: priceOf(body.channel, body.content.text),
    ...carrierView(body.channel, body.content.text),
    ...unsent,
    scheduled_at,
    expires_at,
    created_at: now,
  };
}

/** Subject and html mean nothing outside e-mail and are not kept there. */
const contentOf = ({ channel, content: { text: text_, ...rest } }: SendBody) =>
  channel === 'email' ? { text: text_, ...rest } : { text: text_ };

/** What providers have said of a message that no provider has seen. */
export const unsent = {
  provider: null,
  provider_message_id: null,
  provider_error_code: null,
  error_code: null,
  error_message: null,
  sent_at: null,
  delivered_at: null,
  failed_at: null,
  read_at: null,
} as const satisfies Partial<NewMessage>;
