/** The changes in an audit event: values of settings, never secrets, texts or recipients. */

/** Field → its former and its new value. For fields with a text of the owner, only that they changed. */
export type Changes = Readonly<Record<string, unknown>>;

/**
 * The fields in which two states differ, with both values.
 * @param hidden fields whose values are left out
 */
export function changesBetween(before: object, after: object, hidden: readonly string[] = []): Changes {
  const [was, is] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const changed = [...is.keys()].filter((field) => JSON.stringify(was.get(field)) !== JSON.stringify(is.get(field)));
  return Object.fromEntries(
    changed.map((field) => [field, hidden.includes(field) ? 'changed' : { from: was.get(field) ?? null, to: is.get(field) ?? null }]),
  );
}

/** The origin of a webhook's URL. Path and query are left out, because they may contain a token. */
export const originOfUrl = (url: string): string => (URL.canParse(url) ? new URL(url).origin : '');
