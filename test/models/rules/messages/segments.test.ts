import assert from 'node:assert/strict';
import fc from 'fast-check';
import { carrierView, segmentsOf } from '../../../../models/rules/messages/segments.js';

// 3GPP TS 23.038 by code points, written down apart from the program.
const gsmBasic =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const gsmExtended = '\u000C^{}\\[~]|\u20AC';

describe('segmentsOf', () => {
  const cases: [string, string, string, number][] = [
    ['an empty text', '', 'GSM-7', 1],
    ['160 plain characters', 'a'.repeat(160), 'GSM-7', 1],
    ['161 plain characters', 'a'.repeat(161), 'GSM-7', 2],
    ['306 plain characters', 'a'.repeat(306), 'GSM-7', 2],
    ['307 plain characters', 'a'.repeat(307), 'GSM-7', 3],
    ['80 euro signs', '€'.repeat(80), 'GSM-7', 1],
    ['81 euro signs', '€'.repeat(81), 'GSM-7', 2],
    ['152 characters and a euro sign, in the first part of two', `${'a'.repeat(152)}€${'a'.repeat(152)}`, 'GSM-7', 3],
    ['70 Cyrillic characters', 'ж'.repeat(70), 'UCS-2', 1],
    ['71 Cyrillic characters', 'ж'.repeat(71), 'UCS-2', 2],
    ['134 Cyrillic characters', 'ж'.repeat(134), 'UCS-2', 2],
    ['135 Cyrillic characters', 'ж'.repeat(135), 'UCS-2', 3],
    ['35 emoji', '😀'.repeat(35), 'UCS-2', 1],
    ['36 emoji', '😀'.repeat(36), 'UCS-2', 2],
    ['67 emoji, of which 33 fit whole into a part', '😀'.repeat(67), 'UCS-2', 3],
    ['one typographic quote among Latin letters', `${'a'.repeat(70)}’`, 'UCS-2', 2],
    ['a small c with cedilla, which GSM-7 has in capitals only', 'ç', 'UCS-2', 1],
    ['a back-tick, which GSM-7 does not have', '`', 'UCS-2', 1],
  ];
  for (const [what, text, encoding, segments] of cases) {
    it(`a text of ${what} has ${segments} segments of ${encoding}`, () => assert.deepEqual(segmentsOf(text), { encoding, segments }));
  }

  it('a text is GSM-7 with the 127 characters of the basic alphabet and the ten of its extension', () => {
    assert.equal(new Set(gsmBasic).size, 127);
    for (const character of gsmBasic) assert.deepEqual(segmentsOf(character.repeat(160)), { encoding: 'GSM-7', segments: 1 });
    for (const character of gsmExtended) assert.deepEqual(segmentsOf(character.repeat(81)), { encoding: 'GSM-7', segments: 2 });
  });

  it('segments are shown for SMS, and not on other channels', () => {
    assert.deepEqual(carrierView('sms', 'ж'.repeat(71)), { encoding: 'UCS-2', segments: 2 });
    for (const channel of ['whatsapp', 'email'] as const)
      assert.deepEqual(carrierView(channel, 'ж'.repeat(71)), { encoding: null, segments: null });
  });

  it('segments are those of an oracle that splits the text', () => {
    const character = fc.oneof(fc.constantFrom(...gsmBasic), fc.constantFrom(...gsmExtended), fc.constantFrom('a', 'b'));
    const gsm = fc.array(character, { maxLength: 500, size: 'max' }).map((list) => list.join(''));
    const any = fc.string({
      unit: fc.oneof(fc.constantFrom('ж', '😀', 'a', '漢'), fc.constantFrom(...gsmBasic)),
      maxLength: 300,
      size: 'max',
    });
    fc.assert(
      fc.property(fc.oneof(gsm, any), (text) => assert.deepEqual(segmentsOf(text), oracle(text))),
      { numRuns: 300 },
    );
  });
});

/** Fills part after part with whole characters and counts the parts. */
function oracle(text: string): { encoding: string; segments: number } {
  const isGsm = [...text].every((character) => gsmBasic.includes(character) || gsmExtended.includes(character));
  const gsmSizeOf = (character: string) => (gsmExtended.includes(character) ? 2 : 1);
  const sizeOf = (character: string) => (isGsm ? gsmSizeOf(character) : Buffer.from(character, 'utf16le').length / 2);
  const total = [...text].reduce((sum, character) => sum + sizeOf(character), 0);
  const encoding = isGsm ? 'GSM-7' : 'UCS-2';
  if (total <= (isGsm ? 160 : 70)) return { encoding, segments: 1 };
  const parts: string[][] = [[]];
  for (const character of text) {
    const last = parts.at(-1) as string[];
    const used = last.reduce((sum, item) => sum + sizeOf(item), 0);
    if (used + sizeOf(character) <= (isGsm ? 153 : 67)) last.push(character);
    else parts.push([character]);
  }
  return { encoding, segments: parts.length };
}
