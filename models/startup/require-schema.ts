/** Which schema this version needs, and whether the database has it. */
import { type Database, select, selectOne, withConnection } from '../db/database.js';
import { explainDatabaseError } from '../db/explain-database-error.js';
import { migrationNames } from '../db/migration-files.js';
import { mayBeOutage } from '../db/sql-state.js';
import type { Logger } from '../process/logger.js';
import type { Config } from '../settings/config.js';

/** The database has an older schema than the program, or the schema cannot be read. The message says why. */
export class SchemaError extends Error {}

/** Whether the database has tables of any version. */
export async function hasSchema(db: Database): Promise<boolean> {
  return (await selectOne<{ exists: boolean }>(db, `SELECT to_regclass('schema_migrations') IS NOT NULL AS exists`)).exists;
}

/** Names of migrations, in their order. */
interface Schema {
  known: string[];
  applied: string[];
}

/** The migrations that this version knows, and those that were applied. */
export async function readSchema(db: Database): Promise<Schema> {
  const known = await migrationNames();
  const applied = (await hasSchema(db)) ? await select<{ name: string }>(db, 'SELECT name FROM schema_migrations ORDER BY name') : [];
  return { known, applied: applied.map(({ name }) => name) };
}

/**
 * Called at the start of a process. A newer schema is allowed. If PostgreSQL does not answer, the process starts
 * and shows that at `/health`: an outage of the database is no reason to have no processes after it.
 * @returns the newest migration that it needs, for its log
 * @throws SchemaError naming the first missing migration, or why the schema cannot be read
 */
export async function requireSchema({ databaseUrl }: Pick<Config, 'databaseUrl'>, logger: Logger): Promise<string | undefined> {
  const schema = await readUnlessAway(databaseUrl, logger);
  if (schema === undefined) return undefined;
  const missing = schema.known.find((name) => !schema.applied.includes(name));
  if (missing !== undefined) throw new SchemaError(`The database lacks the migration ${missing}. Run: npm run migrate`);
  return schema.known.at(-1);
}

async function readUnlessAway(databaseUrl: string, logger: Logger): Promise<Schema | undefined> {
  try {
    return await withConnection(databaseUrl, readSchema);
  } catch (error) {
    if (!mayBeOutage(error)) throw new SchemaError(`The schema cannot be read: ${explainDatabaseError(error as Error)}`, { cause: error });
    logger.warn({ err: error }, 'PostgreSQL does not respond: the process starts without a check of the schema');
    return undefined;
  }
}
