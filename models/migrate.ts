/** Brings the database to the newest schema. Safe to run from several processes at once. Entry point: `node dist/models/migrate.js`. */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Umzug, type UmzugStorage } from 'umzug';
import { type Config, ConfigError, loadConfig } from './settings/config.js';
import { commandEnvironment } from './settings/environment.js';
import { connect, type Database, select } from './db/database.js';
import { explainDatabaseError } from './db/explain-database-error.js';
import { grantRights } from './db/grant-rights.js';
import { migrationNames, migrationPath } from './db/migration-files.js';
import { requireLocaleIfNew } from './db/require-locale.js';
import { requireOneSchema, requireProgramFindsTables } from './db/schema-of-tables.js';
import { SchemaLock, whoMigrates } from './db/schema-lock.js';
import { lockNotAvailable, sqlStateOf } from './db/sql-state.js';
import { isEntryPoint } from './process/is-entry-point.js';

/** Statements about large tables may take hours. Those of the service end after 30 seconds. */
const longestMigrationMs = 24 * 3_600_000;

/**
 * The longest wait of a table change for its lock. All later statements about the table wait behind it, and a send fails after three seconds.
 */
const tableLockMs = 1_000;
const tableRestMs = 2_000;
/** 60 tries of three seconds: three minutes. The migration does not wait for a backup or a report that takes an hour. */
const tableLockTries = 60;
const whoLocks = 'SELECT pid, xact_start, query FROM pg_stat_activity WHERE xact_start IS NOT NULL ORDER BY 2 shows by whom';

/**
 * PostgreSQL ends the statement of a process that was killed, which would otherwise keep its locks as long as it takes: nobody reads its result.
 * A server on Windows cannot do that.
 */
const endWithProcess = (scope: 'LOCAL' | 'SESSION') => `DO $$ BEGIN
  SET ${scope} client_connection_check_interval = '1s';
EXCEPTION WHEN invalid_parameter_value THEN NULL;
END $$`;

/** Applies all missing migrations in order, each in its own transaction. Returns the names of those that this call applied. */
export async function migrate(db: Database, lock = new SchemaLock(db)): Promise<string[]> {
  await requireOneSchema(db);
  await requireLocaleIfNew(db);
  await select(
    db,
    'CREATE TABLE IF NOT EXISTS schema_migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
  ).catch(ignoreRace);
  const applied: string[] = [];
  const up = async (name: string) => {
    if (await apply(db, lock, name)) applied.push(name);
  };
  const umzug = new Umzug({
    migrations: (await migrationNames()).map((name) => ({ name, up: () => up(name) })),
    storage: storageIn(db),
    logger: undefined,
  });
  await umzug.up();
  return applied;
}

/** The migration and the record of it are one transaction. @returns false if a second process finds the record, and does nothing */
async function apply(db: Database, lock: SchemaLock, name: string): Promise<boolean> {
  const sql = await readFile(migrationPath(name), 'utf8');
  if (sql.startsWith('-- no transaction')) return applyAlone(lock, name, sql);
  const change = () =>
    lock.inTransaction(async (transaction) => {
      if ((await select(db, 'SELECT 1 AS one FROM schema_migrations WHERE name = $1', [name], transaction)).length > 0) return false;
      await select(db, `SET LOCAL lock_timeout = ${tableLockMs}`, [], transaction);
      await select(db, 'SET LOCAL statement_timeout = 0', [], transaction);
      await select(db, endWithProcess('LOCAL'), [], transaction);
      await db.query(sql, { transaction });
      await select(db, 'INSERT INTO schema_migrations (name) VALUES ($1)', [name], transaction);
      return true;
    });
  return untilUnlocked(name, change);
}

/** Repeats a migration that did not get the lock of a table. The statements that waited behind it run meanwhile. */
async function untilUnlocked<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  for (let left = tableLockTries - 1; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      if (sqlStateOf(error) !== lockNotAvailable) throw error;
      if (left === 0) throw new Error(`${name} waits for a table that others have locked: ${whoLocks}`, { cause: error });
      await sleep(tableRestMs);
    }
  }
}

/**
 * Runs the statements one by one, without a transaction, for what PostgreSQL does concurrently with writes. Such a file can be run again from
 * the start after it was interrupted.
 */
function applyAlone(lock: SchemaLock, name: string, sql: string): Promise<boolean> {
  const statements = sql.replaceAll(/^--.*$/gm, '').split(/;\s*$/m);
  return lock.onConnection(async (run) => {
    const wasDone = (await run(`SELECT 1 AS one FROM schema_migrations WHERE name = '${name}'`)).length > 0;
    if (wasDone) return false;
    await run('SET statement_timeout = 0');
    await run('SET lock_timeout = 0');
    await run(endWithProcess('SESSION'));
    for (const statement of statements) if (statement.trim() !== '') await run(statement);
    await run(`INSERT INTO schema_migrations (name) VALUES ('${name}')`);
    await run('RESET statement_timeout');
    await run('RESET lock_timeout');
    await run('RESET client_connection_check_interval');
    return true;
  });
}

function storageIn(db: Database): UmzugStorage {
  return {
    executed: async () => (await select<{ name: string }>(db, 'SELECT name FROM schema_migrations ORDER BY name')).map(({ name }) => name),
    logMigration: async () => undefined, // written by `apply`
    unlogMigration: async () => {
      throw new Error('migrations only go forward');
    },
  };
}

/** If two processes create the same table at the same time, one gets a unique violation from the catalogue. */
function ignoreRace(error: unknown): never[] {
  const code = sqlStateOf(error);
  if (code === '23505' || code === '42P07') return [];
  throw error;
}

/** Migrates as the owner of the tables, and grants the role of the program its rights. Returns the names of the applied migrations. */
export async function migrateWith({
  databaseUrl,
  migrateDatabaseUrl,
}: Pick<Config, 'databaseUrl' | 'migrateDatabaseUrl'>): Promise<string[]> {
  const db = connect(migrateDatabaseUrl, 2, { answerMsMax: longestMigrationMs });
  try {
    const lock = new SchemaLock(
      db,
      sayingOnce(`Another process migrates this database: waiting until it has ended. ${whoMigrates} shows it.\n`),
    );
    const names = await migrate(db, lock);
    const [owner, program] = [roleOf(migrateDatabaseUrl), roleOf(databaseUrl)];
    if (program !== owner) await grantRights(db, program, lock);
    if (databaseUrl !== migrateDatabaseUrl) await requireProgramFindsTables(db, databaseUrl);
    return names;
  } finally {
    await db.close();
  }
}

/** On standard error: the result on standard output may be JSON. */
function sayingOnce(text: string): () => void {
  let isSaid = false;
  return () => {
    if (!isSaid) process.stderr.write(text);
    isSaid = true;
  };
}

const roleOf = (url: string) => decodeURIComponent(new URL(url).username);

if (isEntryPoint(import.meta.filename)) {
  try {
    const names = await migrateWith(loadConfig(commandEnvironment(), ['DATABASE_URL']));
    process.stdout.write(names.length === 0 ? 'The schema is up to date.\n' : `Applied ${names.join(', ')}.\n`);
  } catch (error) {
    process.stderr.write(
      error instanceof ConfigError ? `${error.message}\n` : `Migration failed: ${explainDatabaseError(error as Error)}\n`,
    );
    process.exitCode = 1;
  }
}
