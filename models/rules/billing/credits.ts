/** Prices, and the format of amounts. In the program, credits are integers in thousandths. */
import { type Channel, channelTraits } from '../../channels.js';
import { codePoints, countText } from '../values/text.js';

/** Thousandths of a credit in one credit. */
const creditScale = 1000;

/**
 * The price of a message, in thousandths of a credit, as `channelTraits` declares it. A channel priced by parts charges each
 * started part, and at least one.
 */
export function priceOf(channel: Channel, text: string): number {
  const { price } = channelTraits[channel];
  if ('perMessage' in price) return price.perMessage;
  return Math.max(1, Math.ceil(codePoints(text) / price.partCodePoints)) * price.perPart;
}

/** Thousandths as the number that the API shows: exact to three places, without binary rounding errors. */
export const toCredits = (thousandths: number) => thousandths / creditScale;

/** Credits as the nearest whole number of thousandths: 1.005 times 1000 is slightly less than 1005. */
export const toThousandths = (credits: number) => Math.round(credits * creditScale);

/** Thousandths as text without trailing zeros: 500 → `0.5`. */
export const formatCredits = (thousandths: number) => String(toCredits(thousandths));

/** Thousandths as text with the unit: 1000 → `1 credit`. */
export const creditsText = (thousandths: number) => countText(toCredits(thousandths), 'credit');
