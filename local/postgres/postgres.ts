/** The embedded PostgreSQL: creates its cluster once, and runs it on loopback with its own password. */
import { existsSync, mkdirSync, readFileSync, rmSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Command, Part } from '../processes/part.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import type { StopStep } from '../processes/process-identity.js';
import { reasonOf, StartError } from '../output/start-error.js';
import { accountFor, giveTo, withoutRoot } from '../processes/unprivileged.js';

/** The major version of the programs: it reads no data of another one. */
const major = '18';
const user = 'tidings';
const database = 'tidings';
const serverSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '128MB',
  jit: 'off',
  fsync: 'on',
  // Error details, and the statements that failed, contain values, for example e-mail addresses.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_timezone: 'UTC',
  timezone: 'UTC',
};

/** First a fast shutdown: closes connections and writes a checkpoint. Then an immediate one, after which the next start recovers. */
export const postgresStop = [
  { signal: 'SIGINT', waitMs: 2_500 },
  { signal: 'SIGQUIT', waitMs: 500 },
] as const satisfies readonly StopStep[];

export interface PostgresPlace {
  binaries: PostgresBinaries;
  dataDir: string;
  password: string;
  log: string;
  /** Additional server settings. */
  settings?: Readonly<Record<string, string>>;
}

/** The folder of the cluster. */
export const clusterDir = (dataDir: string) => join(dataDir, 'postgres');

/**
 * Creates the cluster if there is none. The folder gets its name only when it is complete, so an interrupted start leaves no broken cluster.
 * @param run runs a command until it ends
 * @returns whether the cluster was created now
 * @throws StartError for data of another version of PostgreSQL
 */
export async function makeCluster(place: PostgresPlace, run: (command: Command) => Promise<unknown>): Promise<boolean> {
  const finalDir = clusterDir(place.dataDir);
  const account = accountFor(finalDir);
  if (existsSync(finalDir)) {
    requireVersion(finalDir);
    if (account !== undefined && statSync(finalDir).uid === 0) giveTo(finalDir, account);
    return false;
  }
  const newDir = `${finalDir}.new`;
  const passwordFile = `${finalDir}.password`;
  rmSync(newDir, { recursive: true, force: true });
  mkdirSync(newDir, { mode: 0o700 });
  writeFileSync(passwordFile, `${place.password}\n`, { mode: 0o600 });
  const args = ['-D', newDir, '-U', user, `--pwfile=${passwordFile}`, '-A', 'scram-sha-256', '--data-checksums', '-E', 'UTF8'];
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']; // the same sort order on every machine
  try {
    if (account !== undefined) for (const path of [newDir, passwordFile]) giveTo(path, account);
    const program = withoutRoot(place.binaries.initdb, [...args, ...locale], account);
    await run({ name: 'initdb', ...program, env: serverEnv(), log: place.log, stop: [{ signal: 'SIGTERM', waitMs: 2_000 }] });
  } catch (error) {
    rmSync(newDir, { recursive: true, force: true }); // on a full disk it would occupy what is left
    throw error;
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(newDir, finalDir);
  return true;
}

/** The log of the server would not say it: its error has the versions in a detail, and details are off. */
function requireVersion(folder: string): void {
  let found: string;
  try {
    found = readFileSync(join(folder, 'PG_VERSION'), 'utf8').trim();
  } catch (error) {
    throw new StartError(
      `${folder} has no data that can be read (${reasonOf(error)}): restore it, or correct its rights, or set another DATA_DIR.`,
    );
  }
  if (found === major) return;
  throw new StartError(
    `${folder} has data of PostgreSQL ${found}, and this version needs ${major}: start the version that made them, or set another DATA_DIR.`,
  );
}

/** The server as a part. It is ready when a login works and our database exists. */
export function postgresPart(place: PostgresPlace, port: number): Part {
  const dir = clusterDir(place.dataDir);
  const settings = Object.entries({ ...serverSettings, ...place.settings, port: String(port) }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  return {
    name: 'PostgreSQL',
    ...withoutRoot(place.binaries.postgres, ['-D', dir, ...settings], accountFor(dir)),
    env: serverEnv(),
    log: place.log,
    stop: postgresStop,
    ipc: false,
    readyTimeoutMs: 60_000, // recovery after a crash can take long
    ready: (_running, signal, notYet) => untilLetIn(urlOf(place.password, port, 'postgres'), signal, notYet),
  };
}

/** The URL of our database on the embedded server. */
export const databaseUrl = (password: string, port: number) => urlOf(password, port, database);

/** The version of the server at this URL. */
export async function serverVersion(url: string): Promise<string> {
  const [row] = await query<{ server_version: string }>(url, 'SHOW server_version');
  return row?.server_version.split(' ')[0] ?? 'of unknown version';
}

async function untilLetIn(url: string, signal: AbortSignal, notYet: (error: unknown) => void): Promise<void> {
  while (!signal.aborted) {
    try {
      const exists = await query(url, `SELECT 1 FROM pg_database WHERE datname = '${database}'`);
      if (exists.length === 0) await query(url, `CREATE DATABASE ${database}`);
      return;
    } catch (error) {
      const isWrongPassword = (error as { code?: string }).code === '28P01';
      if (isWrongPassword)
        throw new StartError(
          `DATA_DIR/secrets.json does not match DATA_DIR/postgres (${reasonOf(error)}): restore the file, or set another DATA_DIR`,
        );
      notYet(error);
      await sleep(50, undefined, { signal }).catch(() => undefined); // the server is still starting
    }
  }
}

/** Runs one statement in a session of its own. */
export async function query<Row extends pg.QueryResultRow>(url: string, sql: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined); // the running query rejects with the same error
  try {
    await client.connect();
    const { rows } = await client.query<Row>(sql, values);
    return rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** It says that the server has no TLS, because commands beside the service would follow the PGSSLMODE of the user. */
const urlOf = (password: string, port: number, name: string) => `postgres://${user}:${password}@127.0.0.1:${port}/${name}?sslmode=disable`;

/** The environment of the server. Variables of the user such as PGDATA and PGPORT would change its behaviour. */
const serverEnv = () => ({ PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' });
