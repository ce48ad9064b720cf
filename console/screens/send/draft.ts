/** What is written in the send form. */
import type { Schema } from '../../api/call.js';
import { phoneText } from '../../parts/message-fields.js';
import { momentOf } from '../../parts/time.js';
import { textOf } from '../../state/form.js';

/** A send with a recipient. */
export type Body = Schema<'SendToPhone'> | Schema<'SendToEmailAddress'>;

/** The fields, with the names of the operation's body. */
export const fields = ['to', 'channel', 'content.text', 'content.subject', 'content.html', 'reference', 'scheduled_at'] as const;
export interface Draft extends Record<(typeof fields)[number], string> {
  /** Parts of the content that the form takes over and cannot change. They belong to the channel of the draft. */
  copied: Pick<Schema<'MessageContent'>, 'template' | 'unsubscribe'>;
}

const emptyDraft: Draft = {
  to: '',
  channel: 'sms',
  'content.text': '',
  'content.subject': '',
  'content.html': '',
  reference: '',
  scheduled_at: '',
  copied: {},
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
    copied: { ...(content?.template && { template: content.template }), ...(content?.unsubscribe === true && { unsubscribe: true }) },
  };
}

/** Links can fill in the recipient and the channel: `send?to=…&channel=email`. */
export const draftFrom = ({ to, channel }: Readonly<Record<string, string>>): Draft => ({
  ...emptyDraft,
  to: to ?? '',
  channel: channel ?? 'sms',
});

/** @param copied goes out as far as its boxes are ticked */
export function bodyOf(data: FormData, copied: Draft['copied']): Body {
  const given = (name: (typeof fields)[number]) => textOf(data, name);
  const optional = (name: string, value: string | null) => (value === null || value.trim() === '' ? {} : { [name]: value });
  return {
    to: phoneText(given('to')),
    channel: given('channel'),
    content: {
      text: given('content.text'),
      ...optional('subject', given('content.subject')),
      ...optional('html', given('content.html')),
      ...Object.fromEntries(Object.entries(copied).filter(([name]) => data.has(`content.${name}`))),
    },
    ...optional('reference', given('reference')),
    ...optional('scheduled_at', momentOf(given('scheduled_at'))),
  } as Body;
}
