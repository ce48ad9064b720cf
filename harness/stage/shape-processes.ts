/** The API processes and workers of one shape, on the same servers. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { nodeCommand, nodePart } from '../../local/processes/node-parts.js';
import type { Running } from '../../local/processes/part.js';
import { processEnvironment } from './service.js';
import type { ShapeServers } from './shape-servers.js';
import type { Stage } from './stage.js';

export interface Shape {
  workers: number;
  apis: number;
}

export interface ShapeProcesses {
  /** One URL per API process. */
  baseUrls: string[];
  pids: { API: number[]; worker: number[] };
  /** Stops them gracefully. */
  stop(): Promise<void>;
}

const drainMs = { API: 10_500, worker: 20_000 };

/** The settings that all processes share. */
export function shapeEnvironment({ folder }: Stage, servers: ShapeServers): NodeJS.ProcessEnv {
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir, { recursive: true });
  return {
    ...processEnvironment(folder, servers),
    RATE_LIMIT_AUTH: '1000000/60',
    RATE_LIMIT_LOGIN: '1000000/60',
    DATA_DIR: dataDir,
    REDIS_URL: servers.redisUrl,
  };
}

/** Creates our tables. */
export const migrateDatabase = (stage: Stage, env: NodeJS.ProcessEnv): Promise<string> =>
  stage.run(nodeCommand({ name: 'database schema', path: 'models/migrate.js', env, log: join(stage.logDir, 'migrate.log') }));

/** Starts the processes. There is no load balancer; the provider of the workers posts its reports to the API processes in turn. */
export async function startProcesses(stage: Stage, env: NodeJS.ProcessEnv, { workers, apis }: Shape): Promise<ShapeProcesses> {
  const ports = await Promise.all(numbers(apis).map((number) => stage.ports.choose(`api-${number}`)));
  const baseUrls = ports.map((port) => `http://127.0.0.1:${port}`);
  const start = (name: 'API' | 'worker', number: number, path: string, own: NodeJS.ProcessEnv) =>
    stage.start(
      nodePart(
        { name: `${name} ${number}`, path, env: { ...env, ...own }, log: join(stage.logDir, `${name}-${number}.log`) },
        drainMs[name],
      ),
    );
  const [running, workersRunning] = await Promise.all([
    Promise.all(ports.map((port, index) => start('API', index + 1, 'api/server.js', { PORT: String(port) }))),
    Promise.all(
      numbers(workers).map((number) => start('worker', number, 'activities/worker.js', { CALLBACK_URL: baseUrls[(number - 1) % apis] })),
    ),
  ]);
  return {
    baseUrls,
    pids: { API: pidsOf(running), worker: pidsOf(workersRunning) },
    stop: async () => {
      for (const group of [running, workersRunning]) await Promise.all(group.map((part) => part.end()));
    },
  };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const pidsOf = (all: readonly Running[]) => all.map(({ identity }) => identity.pid);
