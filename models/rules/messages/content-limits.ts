/** The limits of the texts of a message. */
import { type Channel, channelTraits } from '../../channels.js';
import { missingFieldText } from '../../errors.js';
import { codePoints } from '../values/text.js';

export const subjectText = 'content.subject must be one line of at most 998 characters';

/** The fault of a text that is empty after its values were filled in. */
export const emptiedFault = {
  field: 'content.text',
  message: missingFieldText('content.text'),
  hint: 'The text is empty once its variables are filled in. Give at least one of them a value',
} as const;

/** The error text for a content that is too long. */
export function lengthText(channel: Channel): string {
  const { unit, size } = channelTraits[channel].contentMax;
  return unit === 'bytes'
    ? `content.text and content.html must be at most ${size / 1024} kB together`
    : `content.text must be at most ${size} characters`;
}

/** The error text when the content is too long for the channel; null when it is not. */
export function faultOfTexts(channel: Channel, text: string, html: string | undefined): string | null {
  const { unit, size } = channelTraits[channel].contentMax;
  const isTooLong = unit === 'bytes' ? Buffer.byteLength(text) + Buffer.byteLength(html ?? '') > size : codePoints(text) > size;
  return isTooLong ? lengthText(channel) : null;
}

/** The length of the longest text that one of these channels takes, in its own unit. */
export const textSizeMax = (some: readonly Channel[]) => Math.max(...some.map((channel) => channelTraits[channel].contentMax.size));

/** UTF-16 units that the longest text of the channel can have. A code point takes at most two units, a byte at most one. */
export function textUnitsMax(channel: Channel): number {
  const { unit, size } = channelTraits[channel].contentMax;
  return unit === 'bytes' ? size : 2 * size;
}

/** A line break in a subject would let the sender add a header to the mail. */
export const isSubject = (text: string) => !/[\r\n]/.test(text) && codePoints(text) <= 998;

/** The client's own name for a message. */
export const isReference = (text: string) => text !== '' && codePoints(text) <= 255;
