/** The header `Ignored-Fields`: the fields of a request, and its query parameters, that were ignored. */

const shownMax = 20;
const nameMax = 64;
/** A proxy such as nginx answers 502 if all headers exceed its buffer of 4 kB. Other headers and a `Link` take less than three of them. */
const headerMax = 1000;
/** Stands for the names that are not shown. */
const rest = '...';

/** The header by its name; empty if no field was ignored. */
export function ignoredFieldsHeader(ignored: readonly string[]): Record<string, string> {
  if (ignored.length === 0) return {};
  const shown: string[] = [];
  let length = rest.length;
  for (const name of ignored.slice(0, shownMax)) {
    const entry = encoded(name.slice(0, nameMax));
    length += entry.length + ', '.length;
    if (length > headerMax) break;
    shown.push(entry);
  }
  return { 'Ignored-Fields': [...shown, ...(ignored.length > shown.length ? [rest] : [])].join(', ') };
}

/** Percent-encodes characters that could end the header or an entry of its list, because clients choose the names. */
const encoded = (name: string) => name.toWellFormed().replaceAll(/[^\x21-\x7e]|[%,]/gu, encodeURIComponent);

/** The names in the header `Ignored-Fields` of a response, decoded: the first 20 of them, fewer if they are long; up to 64 characters of each. */
export const ignoredFieldsIn = ({ 'Ignored-Fields': header }: Readonly<Record<string, string>>): string[] =>
  header === undefined
    ? []
    : header
        .split(', ')
        .filter((name) => name !== rest)
        .map(decodeURIComponent);
