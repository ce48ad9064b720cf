/** Helpers of the e-mail providers. */
import { addressOf } from '../../../models/rules/values/email.js';
import type { Content } from '../../../models/rules/messages/message-content.js';
import type { OutgoingMessage } from './provider.js';

/** Several providers refuse a mail without a subject. Nodemailer leaves out a blank one. */
const noSubject = '(no subject)';

export const subjectOf = ({ subject = '' }: Content): string => (subject.trim() === '' ? noSubject : subject);

/** `Headers` in the form of several providers. Empty if the mail has no headers of its own. */
export const headersOf = (headers: OutgoingMessage['headers']) =>
  headers === undefined ? {} : { Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })) };

/** The name in `Ada <ada@example.com>`; undefined if there is none. */
export const nameOf = (from: string): string | undefined => /^(.*\S)\s*<[^<>]+>$/.exec(from)?.[1];

/** Bytes of text in one encoded word, which has at most 75 characters. */
const wordBytesMax = 45;

/** The sender in ASCII: a name with other characters becomes encoded words (RFC 2047). */
export function asciiSender(from: string): string {
  const name = nameOf(from) ?? '';
  if (/^[\x20-\x7e]*$/.test(name)) return from;
  const words = [''];
  for (const character of name) {
    const longer = (words.at(-1) ?? '') + character;
    if (Buffer.byteLength(longer) > wordBytesMax) words.push(character);
    else words[words.length - 1] = longer;
  }
  const encoded = words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`);
  return `${encoded.join(' ')} <${addressOf(from)}>`;
}
