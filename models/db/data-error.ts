/**
 * Whether the database refused a statement because of a value in it: SQLSTATE class 22 (data exception) or 23 (constraint violation). The same
 * statement without the row of the value may succeed.
 */
export function isDataError(error: unknown): boolean {
  const code = (error as { original?: { code?: unknown } } | null)?.original?.code;
  return typeof code === 'string' && /^2[23]/.test(code);
}
