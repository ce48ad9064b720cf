/** Builds the row of a message from the body of a send. */
import { Contact } from '../../../models/tables/contact.js';
import { invalidField, pastText } from '../../../models/errors.js';
import { clientFieldsOf, type NewMessage } from '../../../models/tables/message.js';
import type { Scope } from '../../../models/rules/accounts/api-key.js';
import { namedContact } from '../../../models/rules/bulk/bulk-contact.js';
import { priceOf } from '../../../models/rules/billing/credits.js';
import { noAddressText } from '../../../models/rules/messages/recipient.js';
import { isAhead } from '../../../models/rules/messages/schedule.js';
import { contentOn } from '../../../models/rules/messages/content.js';
import { carrierView } from '../../../models/rules/messages/segments.js';
import type { Caller } from '../../http/caller.js';
import type { SendTrace } from '../../http/request-context.js';
import type { SendBody } from './message-schemas.js';

/** What a request says about a message or a batch beside its body. */
export interface RequestHead extends SendTrace {
  idempotencyKey: string | null;
  /** Of the body; null without an idempotency key. */
  digest: Buffer | null;
}

/**
 * The row of a new message, not accepted yet.
 * @throws AppError as `assertNotExpired` and `recipientOf`
 */
export async function newMessage(
  { workspaceId }: Caller,
  body: SendBody,
  { newId: id, traceparent, idempotencyKey, digest }: RequestHead,
): Promise<NewMessage> {
  const now = new Date();
  const { scheduled_at = null, expires_at = null } = body;
  assertNotExpired(body, now);
  const to = await recipientOf(workspaceId, body);
  return {
    id,
    workspace_id: workspaceId,
    group_id: id,
    batch_id: null,
    channel: body.channel,
    to,
    content: contentOn(body.channel, body.content),
    ...clientFieldsOf(body),
    idempotency_key: idempotencyKey,
    request_digest: digest,
    status: 'accepting',
    status_detail: isAhead({ scheduled_at, created_at: now }) ? 'scheduled' : 'accepted',
    cost: priceOf(body.channel, body.content.text),
    ...carrierView(body.channel, body.content.text),
    scheduled_at,
    expires_at,
    created_at: now,
    traceparent,
  };
}

/**
 * The schema does not check this, because a repeated request must get its first response even after its message has expired.
 * @throws AppError 400 when `expires_at` is in the past
 */
export function assertNotExpired({ expires_at }: Pick<SendBody, 'expires_at'>, now: Date): void {
  if (expires_at !== undefined && expires_at <= now) throw invalidField('expires_at', pastText('expires_at'));
}

/** The scope that the body of a single message needs if it names a contact. The response shows the contact's phone number or address. */
export const scopeForContact = (given: Record<string, unknown>): Scope | null =>
  namedContact(given) === undefined ? null : 'manage_contacts';

/**
 * The recipient of a message: as given, or the phone number or e-mail address of the contact.
 * @throws AppError 404 when the workspace has no such contact, 400 when the contact has no address on this channel
 */
export async function recipientOf(
  workspaceId: string,
  { to, contact_id, channel }: Pick<SendBody, 'to' | 'contact_id' | 'channel'>,
): Promise<string> {
  if (to !== undefined) return to;
  const address = (await Contact.owned(workspaceId, contact_id ?? '')).addressOn(channel);
  if (address === null) throw invalidField('contact_id', noAddressText(channel));
  return address;
}
