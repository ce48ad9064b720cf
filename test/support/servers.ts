/** The real servers of a test run, started once: PostgreSQL, Temporal and Redis. Mocha loads this file by `--require`. */
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Launch } from '../../local/processes/launch.js';
import { Launcher } from '../../local/processes/launcher.js';
import { Output } from '../../local/output/output.js';
import { readPlan } from '../../local/plan/plan.js';
import { providePostgres, provideTemporal } from '../../local/servers.js';
import { connect, onConnection, select } from '../../models/db/database.js';
import { grantRights } from '../../models/db/grant-rights.js';
import { migrate } from '../../models/migrate.js';
import { guardFolder } from '../../harness/stage/guard.js';
import { startRedisServer } from '../../harness/stage/redis-server.js';
import { endRun } from './end-of-run.js';

const templateDatabase = 'template_tidings';
const ownerPassword = 'test';
/** The database role of API and worker, with the same rights as in production. */
const programRole = 'tidings_program';
const stops: (() => Promise<void> | void)[] = [];

/** Starts the servers and puts their addresses into the environment, which the processes of a parallel run inherit. */
export async function mochaGlobalSetup(): Promise<void> {
  const dataDir = mkdtempSync(join(placeOfServers(), 'tidings-test-'));
  guardFolder(dataDir); // no server survives a killed run
  stops.push(() => rmSync(dataDir, { recursive: true, force: true }));
  const { PATH, HOME, XDG_CACHE_HOME } = process.env;
  // Port 0, because the launcher would check the port of the API, which is not started here.
  const plan = readPlan({ PATH, HOME, XDG_CACHE_HOME, DATA_DIR: dataDir, PORT: '0' });
  const launcher = new Launcher(plan, new Output(process.stderr), startServers);
  stops.push(() => launcher.stop());
  await launcher.start();
}

const sharedMemory = '/dev/shm';
/** The servers of a run need 0.3 GB. */
const roomMin = 2 * 1024 ** 3;

/**
 * The file system of the servers' data: `TMPDIR` if it is set, else shared memory where there is room. Each test file creates and drops a database, which takes two to
 * three times the CPU on ext4: it searches long for the number of a new file while many were deleted in the last seconds.
 */
function placeOfServers(): string {
  if (process.env.TMPDIR !== undefined) return tmpdir();
  try {
    const { bavail, bsize } = statfsSync(sharedMemory);
    if (bavail * bsize >= roomMin) return sharedMemory;
  } catch {
    // not Linux
  }
  return tmpdir();
}

async function startServers(launch: Launch): Promise<void> {
  const [postgres, temporal, redis] = await Promise.all([
    providePostgres(launch, ownerPassword),
    provideTemporal(launch),
    startRedis(launch),
  ]);
  process.env.TEST_DATABASE_SERVER = postgres.url.replace(/\/[^/]*$/, '');
  process.env.TEST_TEMPORAL = temporal.address;
  if (redis !== undefined) process.env.TEST_REDIS = redis;
  await makeTemplate();
}

export async function mochaGlobalTeardown(): Promise<void> {
  try {
    await endRun();
  } finally {
    for (const stop of stops.toReversed()) await stop();
  }
}

/** Creates a migrated database that every test file clones. That is cheaper than migrating, and isolates the files. */
async function makeTemplate(): Promise<void> {
  const server = process.env.TEST_DATABASE_SERVER;
  const admin = connect(`${server}/postgres`, 2);
  await select(admin, `CREATE DATABASE ${templateDatabase}`);
  await onConnection(admin, async (run) => {
    await run('SET scram_iterations = 1'); // each of the thousands of logins of a run computes them
    await run(`CREATE ROLE ${programRole} LOGIN PASSWORD '${programRole}'`);
    await run(`ALTER ROLE CURRENT_USER PASSWORD '${ownerPassword}'`);
  });
  await admin.close();
  const template = connect(`${server}/${templateDatabase}`, 2);
  await migrate(template);
  await grantRights(template, programRole);
  // What `renew` puts back.
  await select(template, 'CREATE SCHEMA seeds');
  await select(template, 'CREATE TABLE seeds.credit_packages AS TABLE credit_packages');
  await template.close();
}

/** A Redis for all test files; undefined on a machine that can have none (`.ci/run` installs it). */
async function startRedis({ ports, output }: Launch): Promise<string | undefined> {
  const port = await ports.choose('redis');
  const server = await startRedisServer(port).catch((error: Error) => {
    output.note(`Tests with Redis are skipped: ${error.message}.`);
    return undefined;
  });
  if (server === undefined) return undefined;
  stops.push(() => void server.kill('SIGTERM'));
  return `redis://127.0.0.1:${port}`;
}

/** The name of the database that `freshDatabase` clones. */
export const templateName = templateDatabase;

/** The URL of the same database with the role of API and worker. */
export function asProgram(url: string): string {
  const program = new URL(url);
  program.username = programRole;
  program.password = programRole;
  return program.href;
}
