/** What is written in the send form. */
import type { Schema } from '../../api/call.js';
import { momentOf } from '../../parts/time.js';
import { textOf } from '../../state/form.js';

/** A send with a recipient. */
export type Body = Schema<'SendToPhone'> | Schema<'SendToEmailAddress'>;

/** The fields, with the names of the operation's body. */
export const fields = ['to', 'channel', 'content.text', 'content.subject', 'content.html', 'reference', 'scheduled_at'] as const;
export type Draft = Record<(typeof fields)[number], string>;

const emptyDraft: Draft = {
  to: '',
  channel: 'sms',
  'content.text': '',
  'content.subject': '',
  'content.html': '',
  reference: '',
  scheduled_at: '',
};

/** A copy has the recipient and the content, and neither the reference nor the time of the first one. */
export function draftOf({ to, channel, content }: Schema<'Message'>): Draft {
  return {
    ...emptyDraft,
    to: to ?? '',
    channel,
    'content.text': content?.text ?? '',
    'content.subject': content?.subject ?? '',
    'content.html': content?.html ?? '',
  };
}

/** Links can fill in the recipient and the channel: `send?to=…&channel=email`. */
export const draftFrom = ({ to, channel }: Readonly<Record<string, string>>): Draft => ({
  ...emptyDraft,
  to: to ?? '',
  channel: channel ?? 'sms',
});

export function bodyOf(data: FormData): Body {
  const given = (name: (typeof fields)[number]) => textOf(data, name);
  const optional = (name: string, value: string | null) => (value === null || value.trim() === '' ? {} : { [name]: value });
  return {
    to: given('to').trim(),
    channel: given('channel'),
    content: {
      text: given('content.text'),
      ...optional('subject', given('content.subject')),
      ...optional('html', given('content.html')),
    },
    ...optional('reference', given('reference')),
    ...optional('scheduled_at', momentOf(given('scheduled_at'))),
  } as Body;
}
