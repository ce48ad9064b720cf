import { channelTraits } from '../../../models/channels.js';
import { keysOf } from '../../../models/rules/messages/recipient.js';
import { literalPlaceholders } from '../../../models/rules/messages/render-content.js';
import type { Fault } from '../../../models/errors.js';
import { Suppression } from '../../../models/tables/suppression.js';
import type { SendBody } from '../messages/message-schemas.js';

/** What a single send accepts although it is probably a mistake (docs/contract/messages.md, Preview). */
export async function previewWarnings(workspaceId: string, body: SendBody, to: string): Promise<Fault[]> {
  const { channel, content, scheduled_at, variables } = body;
  const isSuppressed = await Suppression.holds(workspaceId, channel, keysOf(channel, to));
  return [
    ...(isSuppressed
      ? [{ field: 'to', message: `The recipient is suppressed on ${channel}: the message would fail and be refunded` }]
      : []),
    ...(channelTraits[channel].hasMailFields && (content.subject ?? '') === ''
      ? [{ field: 'content.subject', message: 'content.subject is absent: the e-mail gets the subject "(no subject)"' }]
      : []),
    ...(variables === undefined ? literalPlaceholders(content) : []),
    ...(scheduled_at !== undefined && scheduled_at.getTime() < Date.now()
      ? [{ field: 'scheduled_at', message: 'scheduled_at is in the past: the message is sent at once' }]
      : []),
  ];
}
