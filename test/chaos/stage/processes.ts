/** The processes of the service as actors: two APIs behind a load balancer, and two workers. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { nodePart } from '../../../local/processes/node-parts.js';
import type { Part } from '../../../local/processes/part.js';
import { Actor, type ActorHooks, type Exit } from './actor.js';
import type { Links } from './links.js';
import type { Servers } from './servers.js';

/** Longer than any process may take to exit. If it has not exited by then, it is killed, and that is a finding. */
export const drainMsMax = 75_000;

export interface ServiceProcess {
  actor: Actor;
  kind: 'api' | 'worker';
  /** `api1`, `worker2`. */
  name: string;
  /** Shifts the clock of this process; 0: the right time. */
  shiftClock(ms: number): void;
}

export interface ServicePlace {
  folder: string;
  logDir: string;
  servers: Servers;
  links: Links;
  /** The settings that all processes have. */
  settings: NodeJS.ProcessEnv;
}

const preload = resolve(import.meta.dirname, '../../support/shift-clock.js');
const paths = { api: 'api/server.js', worker: 'activities/worker.js' } as const;

/**
 * Creates a process with its own links to the servers. It is not started.
 * @param own settings in addition to those of all processes
 */
export async function makeProcess(
  kind: ServiceProcess['kind'],
  number: number,
  own: NodeJS.ProcessEnv,
  { folder, logDir, servers, links, settings }: ServicePlace,
  hooks: Omit<ActorHooks, 'onExit'> & { onExit(kind: ServiceProcess['kind'], exit: Exit): void },
): Promise<ServiceProcess> {
  const name = `${kind}${number}`;
  const to = (server: 'postgres' | 'temporal' | 'redis') => links.open(`${name}>${server}`, [kind, server], servers.addresses[server]);
  const dataDir = join(folder, name);
  mkdirSync(dataDir);
  const clock = join(dataDir, 'clock');
  const database = new URL(servers.databaseUrl);
  database.host = await to('postgres');
  const env = {
    PATH: process.env.PATH,
    ...settings,
    DATA_DIR: dataDir,
    DATABASE_URL: database.href,
    TEMPORAL_ADDRESS: await to('temporal'),
    ...(kind === 'api' ? { REDIS_URL: `redis://${await to('redis')}` } : {}),
    CLOCK_SHIFT_FILE: clock,
    ...own,
  };
  const part = nodePart({ name, path: paths[kind], env, log: join(logDir, `${name}.log`) }, drainMsMax);
  const actor = new Actor(name, () => withClock(part), { ...hooks, onExit: (exit) => hooks.onExit(kind, exit) });
  return { actor, kind, name, shiftClock: (ms) => writeFileSync(clock, String(ms)) };
}

const withClock = (part: Part): Part => ({ ...part, args: ['--import', preload, ...part.args] });
