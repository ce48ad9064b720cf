/** The SQLSTATE of a failed statement, such as `23505`; undefined for every other error. */
export const sqlStateOf = (error: unknown): string | undefined => (error as { original?: { code?: string } } | null)?.original?.code;

/**
 * Whether the database refused a statement because of a value in it: SQLSTATE class 22 (data exception) or 23 (constraint violation). The same
 * statement without the row of the value may succeed.
 */
export const isDataError = (error: unknown): boolean => /^2[23]/.test(sqlStateOf(error) ?? '');
