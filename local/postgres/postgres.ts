/** The embedded PostgreSQL: makes its folder once, runs it on loopback only, with a password of its own. */
import { existsSync, mkdirSync, rmSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Command, Part } from '../processes/part.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import type { StopStep } from '../processes/process-identity.js';
import { reasonOf, StartError } from '../plan/start-error.js';
import { accountFor, giveTo, withoutRoot } from '../processes/unprivileged.js';

const user = 'tidings';
const database = 'tidings';
const serverSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '128MB',
  jit: 'off',
  fsync: 'on',
  log_error_verbosity: 'terse', // details of an error name values, addresses among them
  log_timezone: 'UTC',
  timezone: 'UTC',
};

/** Fast: ends the connections, writes everything down. Immediate: leaves that to the next start. */
export const postgresStop = [
  { signal: 'SIGINT', waitMs: 2_500 },
  { signal: 'SIGQUIT', waitMs: 500 },
] as const satisfies readonly StopStep[];

export interface PostgresPlace {
  binaries: PostgresBinaries;
  dataDir: string;
  password: string;
  log: string;
  /** beside the usual ones of the server */
  settings?: Readonly<Record<string, string>>;
}

/** Folder of the cluster itself. */
export const clusterDir = (dataDir: string) => join(dataDir, 'postgres');

/**
 * Makes the cluster if there is none. It appears under its name only when complete, so an interrupted start leaves none.
 * @param run runs a command to its end
 * @returns whether it was made now
 */
export async function makeCluster(place: PostgresPlace, run: (command: Command) => Promise<unknown>): Promise<boolean> {
  const finalDir = clusterDir(place.dataDir);
  const account = accountFor(finalDir);
  if (existsSync(finalDir)) {
    if (account !== undefined && statSync(finalDir).uid === 0) giveTo(finalDir, account);
    return false;
  }
  const newDir = `${finalDir}.new`;
  const passwordFile = `${finalDir}.password`;
  rmSync(newDir, { recursive: true, force: true });
  mkdirSync(newDir, { mode: 0o700 });
  writeFileSync(passwordFile, `${place.password}\n`, { mode: 0o600 });
  if (account !== undefined) for (const path of [newDir, passwordFile]) giveTo(path, account);
  const args = ['-D', newDir, '-U', user, `--pwfile=${passwordFile}`, '-A', 'scram-sha-256', '--data-checksums', '-E', 'UTF8'];
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']; // sorts the same on every machine
  try {
    const program = withoutRoot(place.binaries.initdb, [...args, ...locale], account);
    await run({ name: 'initdb', ...program, env: serverEnv(), log: place.log, stop: [{ signal: 'SIGTERM', waitMs: 2_000 }] });
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(newDir, finalDir);
  return true;
}

/** The server as a part. It is ready when it lets us in and our database exists. */
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
    readyTimeoutMs: 60_000, // recovery after a crash takes its time
    ready: (_running, signal) => untilLetIn(place.password, port, signal),
  };
}

/** Address of our database on the embedded server. */
export const databaseUrl = (password: string, port: number) => urlOf(password, port, database);

/** Version of the server behind this address. */
export async function serverVersion(url: string): Promise<string> {
  const [row] = await query<{ server_version: string }>(url, 'SHOW server_version');
  return row?.server_version.split(' ')[0] ?? 'of unknown version';
}

async function untilLetIn(password: string, port: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const url = urlOf(password, port, 'postgres');
      const exists = await query(url, `SELECT 1 FROM pg_database WHERE datname = '${database}'`);
      if (exists.length === 0) await query(url, `CREATE DATABASE ${database}`);
      return;
    } catch (error) {
      const isWrongPassword = (error as { code?: string }).code === '28P01';
      if (isWrongPassword) throw new StartError(`DATA_DIR/secrets.json does not fit DATA_DIR/postgres (${reasonOf(error)})`);
      await sleep(50, undefined, { signal }).catch(() => undefined); // still starting
    }
  }
}

async function query<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined); // the running query rejects, which is enough
  try {
    await client.connect();
    const { rows } = await client.query<Row>(sql);
    return rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

const urlOf = (password: string, port: number, name: string) => `postgres://${user}:${password}@127.0.0.1:${port}/${name}`;

/** Nothing of the user's environment: PGDATA, PGPORT and the like would change the server. */
const serverEnv = () => ({ PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' });
