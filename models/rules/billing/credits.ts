/** Prices and how amounts are printed. Credits are integers in thousandths everywhere inside. */
import type { Channel } from '../../channels.js';

/** Thousandths of a credit in one credit. */
const creditScale = 1000;

const smsSegmentLength = 160;

/**
 * What a message costs, in thousandths of a credit (interface.md, Credit costs; decisions §4):
 * sms one credit per started 160 Unicode code points, at least one; whatsapp 0.5; email 0.1.
 */
export function priceOf(channel: Channel, text: string): number {
  if (channel === 'whatsapp') return 500;
  if (channel === 'email') return 100;
  return Math.max(1, Math.ceil(codePoints(text) / smsSegmentLength)) * creditScale;
}

/** Number of Unicode code points; `'😀'.length` is 2, this is 1. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Thousandths as the API's number: exact to three places, no binary tails. */
export const toCredits = (thousandths: number) => thousandths / creditScale;

/** Thousandths as text without tails: 500 → `0.5`. */
export const formatCredits = (thousandths: number) => String(toCredits(thousandths));
