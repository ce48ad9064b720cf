/** Helpers of the e-mail providers. */
import { addressOf } from '../../../models/rules/values/email.js';
import type { Content } from '../../../models/rules/messages/content.js';
import type { OutgoingMessage } from './provider.js';

/** Several providers refuse a mail without a subject. Nodemailer leaves out a blank one. */
const noSubject = '(no subject)';

export const subjectOf = ({ subject = '' }: Content): string => (subject.trim() === '' ? noSubject : subject);

/** `Headers` in the form of several providers. Empty if the mail has no headers of its own. */
export const headersOf = (headers: OutgoingMessage['headers']) =>
  headers === undefined ? {} : { Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })) };

/** The name in `Ada <ada@example.com>`; undefined if there is none. */
export const nameOf = (from: string): string | undefined => /^(.*\S)\s*<[^<>]+>$/.exec(from)?.[1];

/** The sender, with its name in quotes if that has more than words (RFC 5322 §3.2.3), such as a dot. The settings admit no quotes in it. */
export function quotedSender(from: string): string {
  const name = nameOf(from) ?? '';
  return /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~ -]*$/u.test(name) ? from : `"${name}" <${addressOf(from)}>`;
}

/** The sender in ASCII: a name with other characters becomes encoded words. */
export function asciiSender(from: string): string {
  const name = nameOf(from) ?? '';
  return /^[\x20-\x7e]*$/.test(name) ? quotedSender(from) : `${encodedWords(name)} <${addressOf(from)}>`;
}

/**
 * The subject as nodemailer sends it literally. It does not encode what looks like an encoded word already, which readers then decode, and it
 * cannot break a line of more than 998 octets (RFC 5322 §2.1.1) without a space.
 */
export function literalSubject(content: Content): string {
  const subject = subjectOf(content);
  return /=\?|\S{998}/.test(subject) ? encodedWords(subject) : subject;
}

/** Bytes of text in one encoded word, which has at most 75 characters. */
const wordBytesMax = 45;

/** The text in ASCII (RFC 2047). */
function encodedWords(text: string): string {
  const words = [''];
  for (const character of text) {
    const longer = (words.at(-1) ?? '') + character;
    if (Buffer.byteLength(longer) > wordBytesMax) words.push(character);
    else words[words.length - 1] = longer;
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join(' ');
}
