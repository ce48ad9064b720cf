/** Backup and restore of a test database while processes are connected to it. */
import pg from 'pg';

/** Runs statements on the server of the database, one after the other, outside of transactions. */
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
 * Copies the database, like a backup: without uncommitted changes. Connections are closed for a moment.
 * @returns a function that replaces the database by the copy, also while processes are connected
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
