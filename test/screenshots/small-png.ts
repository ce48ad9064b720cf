/** Makes the PNG of a screen small: 256 colours are enough for texts and lines, and need a third of the bytes. */
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const signatureBytes = 8;
const coloursMax = 256;
const rgb = 3;

/**
 * @param png as `readPng` takes it
 * @throws Error for any other PNG
 */
export function smallPng(png: Buffer): Buffer {
  const { header, width, height, data } = readPng(png);
  const { palette, indexes } = quantised(data);
  // Each line begins with its filter: none is the best for a palette.
  const lines = Buffer.alloc((width + 1) * height);
  for (let line = 0; line < height; line += 1) indexes.copy(lines, line * (width + 1) + 1, line * width, (line + 1) * width);
  const indexed = Buffer.from(header);
  indexed.writeUInt8(3, 9);
  return Buffer.concat([
    png.subarray(0, signatureBytes),
    chunk('IHDR', indexed),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(lines, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/**
 * The pixels of a picture, three bytes each.
 * @param png as Chromium writes it: 8 bits, RGB, not interlaced
 * @throws Error for any other PNG
 */
export function readPng(png: Buffer): { header: Buffer; width: number; height: number; data: Buffer } {
  const chunks = chunksOf(png);
  const header = chunks.find(({ type }) => type === 'IHDR')?.data ?? Buffer.alloc(13);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  if (header.readUInt32BE(8) !== 0x08020000) throw new Error('not a PNG of 8 bits and RGB');
  const packed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map((chunk) => chunk.data));
  return { header, width, height, data: pixelsOf(inflateSync(packed), width, height) };
}

function chunksOf(png: Buffer): { type: string; data: Buffer }[] {
  const chunks: { type: string; data: Buffer }[] = [];
  for (let at = signatureBytes; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(content), 4);
  return Buffer.concat([frame.subarray(0, 4), content, frame.subarray(4)]);
}

/** Undoes the filters of the lines (PNG specification, section 9). */
function pixelsOf(raw: Buffer, width: number, height: number): Buffer {
  const stride = width * rgb;
  const pixels = Buffer.alloc(stride * height);
  for (let line = 0; line < height; line += 1) {
    const filter = raw[line * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x += 1) {
      const at = line * stride + x;
      const left = x < rgb ? 0 : (pixels[at - rgb] ?? 0);
      const up = line === 0 ? 0 : (pixels[at - stride] ?? 0);
      const corner = x < rgb || line === 0 ? 0 : (pixels[at - stride - rgb] ?? 0);
      pixels[at] = (raw[line * (stride + 1) + 1 + x] ?? 0) + predicted(filter, left, up, corner);
    }
  }
  return pixels;
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const guess = left + up - corner;
  const [toLeft, toUp, toCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

/** The most frequent colours; each other one becomes the nearest of them. */
function quantised(pixels: Buffer): { palette: Buffer; indexes: Buffer } {
  const counts = new Map<number, number>();
  for (let at = 0; at < pixels.length; at += rgb) {
    const colour = pixels.readUIntBE(at, rgb);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const colours = [...counts].toSorted(([, one], [, other]) => other - one).map(([colour]) => colour);
  const kept = colours.slice(0, coloursMax);
  const indexOf = new Map(colours.map((colour) => [colour, nearest(colour, kept)]));
  const indexes = Buffer.alloc(pixels.length / rgb);
  for (let at = 0; at < indexes.length; at += 1) indexes[at] = indexOf.get(pixels.readUIntBE(at * rgb, rgb)) ?? 0;
  const palette = Buffer.alloc(kept.length * rgb);
  kept.forEach((colour, index) => palette.writeUIntBE(colour, index * rgb, rgb));
  return { palette, indexes };
}

function nearest(colour: number, palette: readonly number[]): number {
  const distance = (other: number) =>
    [16, 8, 0].reduce((sum, shift) => sum + (((colour >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0);
  let best = 0;
  for (const [index, other] of palette.entries()) if (distance(other) < distance(palette[best] ?? 0)) best = index;
  return best;
}
