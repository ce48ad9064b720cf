/** A QR code, drawn as an element of the page: its policy allows no images from `data:` addresses. */
import { encode } from 'uqr';

/** Light modules around the code, as ISO/IEC 18004 asks for. Without them cameras do not find it on a dark page. */
const quietZone = 4;
/** A whole number keeps the edges of the modules sharp. */
const modulePixels = 5;

/** Black on white in both colour schemes. @param label describes it to people who do not see it */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: quietZone });
  const pixels = size * modulePixels;
  return (
    <svg class="qr-code" role="img" aria-label={label} width={pixels} height={pixels} viewBox={`0 0 ${size} ${size}`}>
      <rect width={size} height={size} fill="#fff" />
      <path d={pathOf(data)} fill="#000" />
    </svg>
  );
}

/** A square for each dark module. */
const pathOf = (rows: readonly (readonly boolean[])[]): string =>
  rows.map((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')).join('')).join('');
