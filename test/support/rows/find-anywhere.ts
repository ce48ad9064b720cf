import { type Database, select } from '../../../models/db/database.js';

/**
 * Finds a text in all columns of all tables that contain text, JSON or lists of text, in any letter case, and in base64.
 * @returns `table.column: rows`
 */
export async function findInDatabase(db: Database, text: string): Promise<string[]> {
  const columns = await select<{ table_name: string; column_name: string }>(db, textColumns);
  const found: string[] = [];
  for (const { table_name: table, column_name: column } of columns) {
    const sql = `
      SELECT count(*) AS count FROM "${table}"
      WHERE position(lower($1) IN lower("${column}"::text)) > 0
        OR EXISTS (SELECT 1 FROM unnest($2::text[]) AS given_in_base64 WHERE position(given_in_base64 IN "${column}"::text) > 0)`;
    const [row] = await select<{ count: number }>(db, sql, [text, inBase64(text)]);
    if (row !== undefined && row.count > 0) found.push(`${table}.${column}: ${row.count}`);
  }
  return found;
}

/**
 * The base64 of a text within a longer one, at each of its three alignments, without what depends on the text around it. None for short
 * texts, which would be found by chance.
 */
function inBase64(text: string): string[] {
  const parts = [0, 1, 2].map((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]);
    return bytes.subarray(offset === 0 ? 0 : 3, bytes.length - (bytes.length % 3)).toString('base64');
  });
  return parts.filter((part) => part.length >= 8);
}

const textColumns = `
  SELECT c.table_name, c.column_name FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
  WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'
    AND (c.data_type IN ('text', 'character varying', 'json', 'jsonb', 'ARRAY', 'bytea', 'name'))
  ORDER BY 1, 2`;
