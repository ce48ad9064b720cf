/** Backup and restore of a test's database, while processes are connected to it. */
import pg from 'pg';

/** Runs statements on the server that the database lives on, one after the other, outside of any transaction. */
async function onServer(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url.replace(/\/[^/]*$/, '/postgres') });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

const nameOf = (url: string) => url.slice(url.lastIndexOf('/') + 1);
const disconnect = (name: string) => `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`;

/**
 * A copy of the database as it is now, as a backup has it: what was not committed is not in it. Whoever is connected is cut off for a moment.
 * @returns a function that replaces the database by the copy, also with open connections
 */
export async function takeBackup(url: string): Promise<() => Promise<void>> {
  const name = nameOf(url);
  const backup = `${name}_backup`;
  await onServer(url, [
    `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`,
    disconnect(name),
    `CREATE DATABASE ${backup} TEMPLATE ${name} STRATEGY WAL_LOG`,
    `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`,
  ]);
  return () => onServer(url, [`DROP DATABASE ${name} WITH (FORCE)`, `ALTER DATABASE ${backup} RENAME TO ${name}`]);
}
