/** The Temporal server on PostgreSQL, as in a cluster: programs, schema and settings, as in `docker-compose.yml`. */
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildWithGo } from '../../local/temporal/go-program.js';
import type { Command, Part } from '../../local/processes/part.js';
import type { PortBook } from '../../local/processes/ports.js';
import { cacheDir, type InstallContext } from '../../local/temporal/temporal-program.js';
import { Connection } from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';

/** The same version as in harness/temporal/go.mod. */
const version = '1.31.2';
const plugin = 'postgres12_pgx';
/** The same as NUM_HISTORY_SHARDS, SQL_MAX_CONNS and SQL_VIS_MAX_CONNS in docker-compose.yml. */
const shards = 4;
const connectionsMax = { temporal: 20, temporal_visibility: 10 };
const databases = Object.keys(connectionsMax);
const sources = resolve(import.meta.dirname, '../../..');
const loopback = '127.0.0.1';
const namespace = 'default';
const retentionSeconds = 259_200;

export interface TemporalPrograms {
  server: string;
  sqlTool: string;
}

/** The server and the tool that creates its schema, built once into the user's cache. */
export async function provideTemporalServer(context: InstallContext): Promise<TemporalPrograms> {
  const folder = join(cacheDir(context.env), `temporal-server-${version}`);
  const provide = async (name: string, mainPackage: string, expectedDuration: string) => {
    const target = join(folder, name);
    const program = {
      name: `${name} ${version}`,
      moduleDir: join(sources, 'harness/temporal'),
      mainPackage: `go.temporal.io/server/${mainPackage}`,
      module: `go.temporal.io/server@v${version}`,
      linkerFlags: '',
      expectedDuration,
    };
    if (!existsSync(target)) await buildWithGo(program, target, context);
    return target;
  };
  return {
    server: await provide('temporal-server', 'cmd/server', '5 minutes, less where Temporal was built before'),
    sqlTool: await provide('temporal-sql-tool', 'cmd/tools/sql', 'half a minute'),
  };
}

/** The PostgreSQL server of the two databases. */
export interface TemporalDatabase {
  port: number;
  user: string;
  password: string;
}

/** The commands that create its databases and tables, in order. */
export function schemaCommands({ sqlTool }: TemporalPrograms, { port, user, password }: TemporalDatabase, log: string): Command[] {
  const env = { SQL_PLUGIN: plugin, SQL_HOST: loopback, SQL_PORT: String(port), SQL_USER: user, SQL_PASSWORD: password };
  return databases.flatMap((database) => {
    const schema = database === 'temporal' ? 'temporal' : 'visibility';
    const steps = [
      ['create-database'],
      ['setup-schema', '--version', '0.0'],
      ['update-schema', '--schema-name', `postgresql/v12/${schema}`],
    ];
    return steps.map((step) => ({
      name: `${step[0]} of ${database}`,
      command: sqlTool,
      args: ['--database', database, ...step],
      env,
      log,
      stop: [{ signal: 'SIGTERM' as const, waitMs: 2_000 }],
    }));
  });
}

/** All four Temporal services in one process. It is ready when its namespace can be used. */
export async function temporalServerPart(
  { server }: TemporalPrograms,
  place: { folder: string; database: TemporalDatabase; ports: PortBook; log: string },
): Promise<{ part: Part; address: string }> {
  const configFile = join(place.folder, 'temporal-server.yaml');
  const { config, port } = await configOf(place.database, place.ports);
  writeFileSync(configFile, JSON.stringify(config, null, 2), { mode: 0o600 }); // JSON is YAML
  const address = `${loopback}:${port}`;
  const part: Part = {
    name: 'Temporal',
    command: server,
    args: ['--config-file', configFile, '--allow-no-auth', 'start'],
    env: { PATH: process.env.PATH, ...(process.env.GOGC === undefined ? {} : { GOGC: process.env.GOGC }) },
    log: place.log,
    stop: [{ signal: 'SIGTERM', waitMs: 10_000 }],
    ipc: false,
    readyTimeoutMs: 90_000,
    ready: (_running, signal) => untilUsable(address, signal),
  };
  return { part, address };
}

async function configOf(database: TemporalDatabase, ports: PortBook): Promise<{ config: object; port: number }> {
  const services = await servicesOf(ports);
  const port = services.frontend?.rpc.grpcPort ?? 0;
  const config = {
    log: { stdout: true, level: 'warn' },
    persistence: {
      numHistoryShards: shards,
      defaultStore: 'default',
      visibilityStore: 'visibility',
      datastores: { default: storeOf(database, 'temporal'), visibility: storeOf(database, 'temporal_visibility') },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: loopback } },
    services,
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: `${loopback}:${port}` },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    dynamicConfigClient: { filepath: join(sources, 'deploy/temporal-dynamic-config.yaml'), pollInterval: '60s' },
  };
  return { config, port };
}

async function servicesOf(ports: PortBook) {
  const services: Record<string, { rpc: { grpcPort: number; membershipPort: number; bindOnIP: string } }> = {};
  for (const name of ['frontend', 'history', 'matching', 'worker']) {
    const [grpcPort, membershipPort] = [await ports.choose(`temporal_${name}`), await ports.choose(`temporal_${name}_membership`)];
    services[name] = { rpc: { grpcPort, membershipPort, bindOnIP: loopback } };
  }
  return services;
}

const storeOf = ({ port, user, password }: TemporalDatabase, databaseName: keyof typeof connectionsMax) => ({
  sql: {
    pluginName: plugin,
    databaseName,
    connectAddr: `${loopback}:${port}`,
    connectProtocol: 'tcp',
    user,
    password,
    maxConns: connectionsMax[databaseName],
    maxIdleConns: connectionsMax[databaseName],
    maxConnLifetime: '1h',
  },
});

/** Creates the namespace when the server listens. All services know it a few seconds later. */
async function untilUsable(address: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await makeNamespace(address);
      return;
    } catch {
      await sleep(100, undefined, { signal }).catch(() => undefined); // the server is still starting
    }
  }
}

async function makeNamespace(address: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: 5_000 });
  try {
    const { workflowService: service } = connection;
    const exists = await service.describeNamespace({ namespace }).catch(() => undefined);
    const workflowExecutionRetentionPeriod = { seconds: retentionSeconds } as never;
    if (exists === undefined) await service.registerNamespace({ namespace, workflowExecutionRetentionPeriod });
    await service.countWorkflowExecutions({ namespace, query: '' });
  } finally {
    await connection.close();
  }
}
