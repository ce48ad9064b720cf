/** The servers as in production: one PostgreSQL for us and one for Temporal, the Temporal server, and Redis. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { databaseUrl, makeCluster, postgresPart, type PostgresPlace } from '../../local/postgres/postgres.js';
import { findPostgres } from '../../local/postgres/postgres-binaries.js';
import { loadSecrets } from '../../local/state/secrets.js';
import { startRedisServer } from './redis-server.js';
import type { Cleanup } from './cleanup.js';
import type { Stage } from './stage.js';
import { provideTemporalServer, schemaCommands, temporalServerPart } from './temporal-server.js';

export interface ShapeServers {
  databaseUrl: string;
  /** The PostgreSQL server of Temporal. */
  temporalDatabaseUrl: string;
  temporalAddress: string;
  redisUrl: string;
  pids: Record<'Temporal' | 'PostgreSQL' | 'PostgreSQL of Temporal' | 'Redis', number>;
}

/** The same as in docker-compose.yml. */
const postgresSettings = { max_connections: '300', shared_buffers: '256MB' };
const user = 'tidings';

/** Starts the servers. The Temporal server is built first if it is missing. */
export async function startServers(stage: Stage, say: (line: string) => void, cleanup: Cleanup): Promise<ShapeServers> {
  const { logDir, run } = stage;
  const programs = await provideTemporalServer({ env: process.env, logDir, say, run });
  const { database_password: password } = loadSecrets(stage.folder);
  const [own, theirs, redis] = await Promise.all([
    startPostgres(stage, 'postgres', password),
    startPostgres(stage, 'temporal-postgres', password),
    startRedis(stage, cleanup),
  ]);
  const database = { port: theirs.port, user, password };
  for (const command of schemaCommands(programs, database, join(logDir, 'temporal-schema.log'))) await run(command);
  const place = { folder: stage.folder, database, ports: stage.ports, log: join(logDir, 'temporal.log') };
  const { part, address } = await temporalServerPart(programs, place);
  const temporal = await stage.start(part);
  return {
    databaseUrl: databaseUrl(password, own.port),
    temporalDatabaseUrl: databaseUrl(password, theirs.port),
    temporalAddress: address,
    redisUrl: redis.url,
    pids: { Temporal: temporal.identity.pid, PostgreSQL: own.pid, 'PostgreSQL of Temporal': theirs.pid, Redis: redis.pid },
  };
}

async function startPostgres(stage: Stage, name: string, password: string): Promise<{ port: number; pid: number }> {
  const dataDir = join(stage.folder, name);
  mkdirSync(dataDir, { mode: 0o700 });
  const log = join(stage.logDir, `${name}.log`);
  const place: PostgresPlace = { binaries: await findPostgres(), dataDir, password, log, settings: postgresSettings };
  await makeCluster(place, stage.run);
  const port = await stage.ports.choose(name);
  const { identity } = await stage.start({ ...postgresPart(place, port), name });
  return { port, pid: identity.pid };
}

async function startRedis(stage: Stage, cleanup: Cleanup): Promise<{ url: string; pid: number }> {
  const port = await stage.ports.choose('redis');
  const server = await startRedisServer(port);
  cleanup.add(() => server.kill());
  return { url: `redis://127.0.0.1:${port}`, pid: server.pid ?? 0 };
}
