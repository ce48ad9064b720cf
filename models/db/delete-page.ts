/**
 * SQL: deletes some rows for which a condition is true, `$1` at most, and returns one row for each.
 * @param key the columns of the primary key
 */
export const deletePage = (table: string, key: string, condition: string): string =>
  `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT $1) RETURNING 1`;
