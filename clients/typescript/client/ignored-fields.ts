/** Fields of a request that the service has ignored, as the header `Ignored-Fields` of its response names them. */

/**
 * @param fields their paths, such as `recipients[0].extra`; `...` at the end stands for others
 * @param request such as `POST /messages/send`
 */
export type OnIgnoredFields = (fields: string[], request: string) => void;

export function ignoredFieldsIn(headers: Headers): string[] {
  const header = headers.get('ignored-fields') ?? '';
  return header === '' ? [] : header.split(/, */).map(decoded);
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name; // a proxy has cut the header
  }
}

/** So that texts which differ in each request do not fill the memory. */
const warningsMax = 100;

// oxlint-disable-next-line no-console -- the only place for warnings that all runtimes have
const onConsole = (text: string) => console.warn(text);

/** Warns once of the same fields of the same request. */
export function warning(warn: (text: string) => void = onConsole): OnIgnoredFields {
  const warned = new Set<string>();
  return (fields, request) => {
    const text = `Tidings ignored fields of ${request}: ${fields.join(', ')}`;
    if (warned.has(text) || warned.size >= warningsMax) return;
    warned.add(text);
    warn(text);
  };
}
