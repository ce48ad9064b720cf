/** What a message may say: the limits of its texts, in the contract's words. */
import type { Channel } from '../../channels.js';
import { codePoints } from '../billing/credits.js';

/** Characters of an sms or a WhatsApp text: ten priced segments. */
export const textLengthMax = 1600;
/** Bytes of text and html of an e-mail together. */
export const emailBytesMax = 90 * 1024;

export const subjectText = 'content.subject must be one line of at most 998 characters';

/** What is said of texts that are too long. */
export const lengthText = (channel: Channel) =>
  channel === 'email'
    ? 'content.text and content.html must be at most 90 kB together'
    : `content.text must be at most ${textLengthMax} characters`;

/** What is wrong with the length of a text, or of an e-mail's text and html together; null when nothing is. */
export function faultOfTexts(channel: Channel, text: string, html: string | undefined): string | null {
  const isTooLong =
    channel === 'email' ? Buffer.byteLength(text) + Buffer.byteLength(html ?? '') > emailBytesMax : codePoints(text) > textLengthMax;
  return isTooLong ? lengthText(channel) : null;
}

/** A line break in a subject would begin a header of the sender's choice. */
export const isSubject = (text: string) => !/[\r\n]/.test(text) && codePoints(text) <= 998;

/** The sender's own name for a message. */
export const isReference = (text: string) => text !== '' && codePoints(text) <= 255;
