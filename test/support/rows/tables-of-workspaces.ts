import { type Database, select } from '../../../models/db/database.js';

/** The names of all tables whose rows belong to a workspace. */
export async function tablesOfWorkspaces(db: Database): Promise<string[]> {
  return (await select<{ name: string }>(db, tables)).map(({ name }) => name);
}

const tables = `
  SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
  WHERE a.attname = 'workspace_id' AND c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace ORDER BY 1`;
