/** The schema, in PostgreSQL's sense, that has the tables. Names from here are quoted where SQL needs it. */
import { ConnectionError } from 'sequelize';
import { type Database, openPool, selectOne } from './database.js';

interface Schemas {
  database: string;
  role: string;
  /** The schema of the tables that the connection finds; null if it finds none. */
  used: string | null;
  /** The schema in which it would create tables; null if the search path names no schema that exists. */
  target: string | null;
}

const schemasOf = (db: Database) => selectOne<Schemas>(db, readSchemas);

const readSchemas = `
  SELECT quote_ident(current_database()) AS database, quote_ident(current_user) AS role, quote_ident(current_schema()) AS target,
    (SELECT relnamespace::regnamespace::text FROM pg_class WHERE oid = to_regclass('schema_migrations')) AS used`;

/**
 * Makes sure that new tables come into the schema of the others. A schema with the name of the role comes first in the search path by default.
 * @throws Error with the statement that corrects the search path
 */
export async function requireOneSchema(db: Database): Promise<void> {
  const { database, used, target } = await schemasOf(db);
  if (target === null) throw new Error('search_path names no schema that exists: create one, or correct search_path');
  if (used === null || used === target) return;
  throw new Error(`The tables are in the schema ${used}, but new ones would be in ${target}. Run: ${correction(database, used)}`);
}

/**
 * Makes sure that the program finds the tables. If it cannot connect from this machine, nothing is known.
 * @param db connected as the owner of the tables
 * @throws Error with the statement that corrects the search path
 */
export async function requireProgramFindsTables(db: Database, programUrl: string): Promise<void> {
  const { used } = await schemasOf(db);
  const program = openPool(programUrl, 1);
  try {
    const found = await schemasOf(program);
    if (used !== null && found.used !== used) throw new Error(await reasonOf(program, found, used));
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
  } finally {
    await program.close();
  }
}

async function reasonOf(program: Database, { database, role }: Schemas, schema: string): Promise<string> {
  const sql = `SELECT has_schema_privilege(to_regnamespace($1), 'USAGE') AS may_use`;
  if ((await selectOne<{ may_use: boolean | null }>(program, sql, [schema])).may_use === true)
    return `The tables are in the schema ${schema}, in which the role ${role} does not search. Run: ${correction(database, schema)}`;
  const fix = `GRANT USAGE ON SCHEMA ${schema} TO ${role}`;
  return `The tables are in the schema ${schema}, which the role ${role} may not use. Run, as the owner of the schema: ${fix}`;
}

const correction = (database: string, schema: string): string => `ALTER DATABASE ${database} SET search_path = ${schema}`;
