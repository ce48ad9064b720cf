/** Fields of a request that the service has ignored, as the header `Ignored-Fields` of its response names them. */

/**
 * What it throws is shown on the console: the service has accepted the request.
 * @param fields their paths, such as `recipients[0].extra`; `...` at the end stands for others
 * @param request such as `PUT /contacts/{id}`
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
    const text = textOf(fields, request);
    if (warned.has(text) || warned.size >= warningsMax) return;
    warned.add(text);
    warn(text);
  };
}

/** Calls the option. Throws nothing: the caller would lose the answer, send again and pay twice. */
export function reportIgnoredFields(report: OnIgnoredFields, fields: string[], { method, path }: { method: string; path: string }): void {
  const request = `${method} ${path.replaceAll(idInPath, '/{id}')}`;
  const run = async () => {
    try {
      await (report(fields, request) as unknown); // a function that returns a promise has the type, too
    } catch (error) {
      onConsole(`onIgnoredFields failed: ${error instanceof Error ? error.message : String(error)}. ${textOf(fields, request)}`);
    }
  };
  run().catch(() => {}); // in some tests the console throws
}

const idInPath = /\/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?=\/|$)/gi;

/** The same text for each object and each recipient. */
function textOf(fields: readonly string[], request: string): string {
  const names = new Set(fields.map((field) => field.replaceAll(/\[\d+\]/g, '[]')));
  return `Tidings ignored fields of ${request}: ${[...names].join(', ')}`;
}
