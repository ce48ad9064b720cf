import { type Channel, channelTraits } from '../../../models/channels.js';
import { suppressedAmong } from '../../../models/operations/contacts/suppressed-among.js';
import { erasureKey } from '../../../models/operations/erasure/erasure-key.js';
import { namesOnList } from '../../../models/rules/contacts/erasure.js';
import { refusedValues } from '../../../models/rules/messages/whatsapp-template.js';
import { isPossiblePhone } from '../../../models/rules/messages/phone-country.js';
import { literalPlaceholders } from '../../../models/rules/messages/render-content.js';
import type { Fault } from '../../../models/errors.js';
import type { Deps } from '../../deps.js';
import type { SendBody } from './message-schemas.js';
import { usedContent, warningsOfUnused } from './unused-content.js';

/** The warnings about values that a single send accepts although they are probably mistakes (docs/contract/messages.md, Preview). */
export async function previewWarnings(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  workspaceId: string,
  { body, to }: { body: SendBody; to: string },
): Promise<Fault[]> {
  const { channel, content, variables } = body;
  const names = namesOnList(await erasureKey(db, config.secretKeys), channel, to);
  const isSuppressed = (await suppressedAmong(db, workspaceId, channel, names)).size > 0;
  return [
    ...(isSuppressed
      ? [{ field: 'to', message: `The recipient is suppressed on ${channel}: the message would fail and be refunded` }]
      : []),
    ...(channelTraits[channel].address === 'phone' && !isPossiblePhone(to)
      ? [{ field: 'to', message: 'to is not a possible phone number: it has too few or too many digits, or no known country code' }]
      : []),
    ...(lacksSubject(channel, content)
      ? [{ field: 'content.subject', message: 'content.subject is absent or blank: the e-mail gets the subject "(no subject)"' }]
      : []),
    ...(channelTraits[channel].hasApprovedTemplates ? refusedValues(content.template) : []),
    ...warningsOfUnused(body),
    ...(variables === undefined ? literalPlaceholders(usedContent(body)) : []),
    ...pastSchedule(body, 'the message is'),
  ];
}

/** An e-mail is sent with "(no subject)" then. */
export const lacksSubject = (channel: Channel, { subject }: { subject?: string | undefined }): boolean =>
  channelTraits[channel].hasMailFields && (subject ?? '').trim() === '';

/** @param are what is sent: `the message is` */
export function pastSchedule({ scheduled_at }: Pick<SendBody, 'scheduled_at'>, are: string): Fault[] {
  const isPast = scheduled_at !== undefined && scheduled_at.getTime() < Date.now();
  return isPast ? [{ field: 'scheduled_at', message: `scheduled_at is in the past: ${are} sent at once` }] : [];
}
