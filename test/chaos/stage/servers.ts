/** The servers of a run as actors: PostgreSQL on a small disk, the Temporal dev server, and Redis. */
import { join } from 'node:path';
import type { FoundTemporal } from '../../../local/temporal/find-temporal.js';
import { type Part, untilItSays } from '../../../local/processes/part.js';
import type { PortBook } from '../../../local/processes/ports.js';
import { clusterDir, databaseUrl, postgresPart, postgresStop } from '../../../local/postgres/postgres.js';
import { settlePostmasterFile } from '../../../local/postgres/postmaster-file.js';
import { temporalPart } from '../../../local/temporal/temporal.js';
import { Actor, type ActorHooks } from './actor.js';
import { openSmallDisk, type SmallDisk } from './disk.js';
import { copyTemplate, password, placeIn } from './template.js';

/** What all runs share. */
export interface Programs {
  /** The folder of the cluster that is copied; see `makeTemplate`. */
  template: string;
  temporal: FoundTemporal;
}

export interface Servers {
  postgres: Actor;
  temporal: Actor;
  redis: Actor;
  /** host:port of each, without a proxy. */
  addresses: Record<'postgres' | 'temporal' | 'redis', string>;
  /** The URL of PostgreSQL, without a proxy. */
  databaseUrl: string;
  disk: SmallDisk;
}

/** The disk of PostgreSQL. */
const diskMegabytes = 640;

/** Creates the servers with their own data. None is started. */
export async function makeServers(
  place: { folder: string; logDir: string; ports: PortBook },
  programs: Programs,
  hooks: Omit<ActorHooks, 'onExit'>,
): Promise<Servers> {
  const { folder, logDir } = place;
  const quiet = { ...hooks, onExit: () => undefined };
  const port = await choosePorts(place.ports);
  const disk = openSmallDisk(join(folder, 'disk'), diskMegabytes);
  copyTemplate(programs.template, disk.folder);
  const postgresPlace = await placeIn(disk.folder, join(logDir, 'postgres.log'));
  const postgres = async () => {
    await settlePostmasterFile(clusterDir(disk.folder), postgresStop);
    return postgresPart(postgresPlace, port.postgres);
  };
  const { temporal: found } = programs;
  const temporal = () =>
    temporalPart({
      found,
      dataDir: folder,
      namespace: 'default',
      port: port.temporal,
      uiPort: port.temporalUi,
      log: join(logDir, 'temporal.log'),
    });
  return {
    postgres: new Actor('postgres', postgres, quiet),
    temporal: new Actor('temporal', temporal, quiet),
    redis: new Actor('redis', () => redisPart(port.redis, join(logDir, 'redis.log')), quiet),
    addresses: {
      postgres: `127.0.0.1:${port.postgres}`,
      temporal: `127.0.0.1:${port.temporal}`,
      redis: `127.0.0.1:${port.redis}`,
    },
    databaseUrl: databaseUrl(password, port.postgres),
    disk,
  };
}

const choosePorts = async (ports: PortBook) => ({
  postgres: await ports.choose('postgres'),
  temporal: await ports.choose('temporal'),
  temporalUi: await ports.choose('temporal_ui'),
  redis: await ports.choose('redis'),
});

function redisPart(port: number, log: string): Part {
  return {
    name: 'Redis',
    command: 'redis-server',
    args: ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    env: { PATH: process.env.PATH },
    log,
    stop: [{ signal: 'SIGTERM', waitMs: 2_000 }],
    ipc: false,
    readyTimeoutMs: 10_000,
    ready: (running, signal) => untilItSays(running, /Ready to accept connections/, signal),
  };
}
