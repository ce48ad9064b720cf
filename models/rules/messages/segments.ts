/**
 * How a carrier encodes and splits a text (3GPP TS 23.038; 160/153 septets in GSM-7, 70/67 UTF-16 units in UCS-2). For information only:
 * `billing/credits.ts` determines the price.
 */
import { type Channel, channelTraits } from '../../channels.js';

export type Encoding = 'GSM-7' | 'UCS-2';

const basic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
const extension = new Set('\f^{}\\[~]|€');

/** The encoding and the number of parts of an SMS text. An empty text is one part. */
export function segmentsOf(text: string): { encoding: Encoding; segments: number } {
  const units = gsmUnits(text);
  if (units !== null) return { encoding: 'GSM-7', segments: split(units, 160, 153) };
  return {
    encoding: 'UCS-2',
    segments: split(
      [...text].map((character) => character.length),
      70,
      67,
    ),
  };
}

/** Segments and encoding, as a message shows them; null on channels without segments. */
export const carrierView = (channel: Channel, text: string): { encoding: Encoding | null; segments: number | null } =>
  channelTraits[channel].hasSegments ? segmentsOf(text) : { segments: null, encoding: null };

/** The septets of each character; null if one is outside the GSM alphabet. */
function gsmUnits(text: string): number[] | null {
  const units: number[] = [];
  for (const character of text) {
    if (basic.has(character)) units.push(1);
    else if (extension.has(character)) units.push(2);
    else return null;
  }
  return units;
}

/** A character of two units is never split. It moves to the next part as a whole. */
function split(units: number[], single: number, part: number): number {
  const total = units.reduce((sum, unit) => sum + unit, 0);
  if (total <= single) return 1;
  let parts = 1;
  let used = 0;
  for (const unit of units) {
    if (used + unit > part) {
      parts += 1;
      used = 0;
    }
    used += unit;
  }
  return parts;
}
