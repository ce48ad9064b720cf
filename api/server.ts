/** Entry point of the API process: settings → connections → app → listen → drain → close. */
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError, loadConfig } from '../models/settings/config.js';
import { configWarnings } from '../models/settings/config-warnings.js';
import { connect } from '../models/db/database.js';
import { UrgentWork } from '../models/flow/give-way.js';
import { limitHeapGrowth } from '../models/flow/heap.js';
import { apiMetrics } from '../models/metrics/catalogue.js';
import { createFailureSeries } from '../models/metrics/observe.js';
import { serveMetrics } from '../models/metrics/serve.js';
import { logLibraryWarnings } from '../models/process/library-warnings.js';
import { createLogger } from '../models/process/logger.js';
import { startTracing } from '../models/tracing/tracing.js';
import { warmUpPasswords } from '../models/passwords.js';
import { reportOutdatedRuntime } from '../models/process/runtime.js';
import { requireSchema } from '../models/startup/require-schema.js';
import { requireSecretKey } from '../models/startup/require-secret-key.js';
import { createAcceptGate } from './accept/accept-gate.js';
import { createApp } from './app.js';
import { type BulkThread, createBulkThread, apiPoolSizes } from './bulk-thread/create-bulk-thread.js';
import { createCommonDeps } from './create-common-deps.js';
import type { Deps } from './deps.js';
import { endpoints } from './endpoints/index.js';
import { createHttpServer, defaultTimeouts } from './http/server/http-server.js';
import { createCertificateReader } from './metrics/certificate-gauges.js';
import { createReadTurns } from './http/resource-limits.js';
import { createGaugeReader } from './metrics/show-gauges.js';
import { connectTemporal } from './outside/temporal.js';

const drainMsMax = 10_000;
/** How long the process waits for connections to PostgreSQL and Temporal to close. */
const closeMsMax = 2000;

type ServerDeps = Deps & { bulkThread: BulkThread };

/** Creates the clients that the API needs. They connect on first use, and `/health` reports whether their servers answer. */
function createDeps(env: NodeJS.ProcessEnv): ServerDeps {
  const config = loadConfig(env);
  const logger = createLogger('api', config.logLevel);
  logLibraryWarnings(logger);
  const [urgent, sends] = [new UrgentWork(), new UrgentWork()];
  const db = connect(config.databaseUrl, apiPoolSizes(config).own, { pace: urgent.pace });
  const temporal = connectTemporal(config);
  return {
    ...createCommonDeps({ config, logger, db, temporal }),
    acceptGate: createAcceptGate({ config, logger, db, temporal, urgent: { run: (work) => urgent.pace.run(() => sends.pace.run(work)) } }),
    bulkThread: createBulkThread({ env, deps: { config, db, logger, temporal }, urgent, sends }),
    readTurns: createReadTurns(apiPoolSizes(config).own, sends),
  };
}

async function start(deps: ServerDeps): Promise<void> {
  const schema = await requireSchema(deps.config, deps.logger);
  await requireSecretKey(deps.config, deps.logger);
  const endTracing = await startTracing({ tracing: deps.config.tracing, logger: deps.logger, part: 'api' });
  const { connections } = deps.config;
  const server = createHttpServer(createApp(deps), deps, defaultTimeouts, {
    max: connections.max,
    maxPerAddress: connections.ofAddress,
    proxies: deps.config.trustedProxies,
  });
  await warmUpPasswords();
  await listen(server, deps.config);
  const { metrics, dataDir } = deps.config;
  createFailureSeries(endpoints.filter(({ sends }) => sends === true));
  const readCertificates = createCertificateReader(deps.config);
  const readGauges = createGaugeReader(deps.db);
  const readLimitStore = async () => apiMetrics.limitStoreUp.set((await deps.limiter.isHealthy()) ? 1 : 0);
  const refresh = async () => {
    readCertificates();
    await Promise.all([readLimitStore(), readGauges()]);
  };
  await serveMetrics({ ...metrics, dataDir, logger: deps.logger, refresh });
  reportOutdatedRuntime((warning) => deps.logger.warn({ warning }, 'the version of Node needs attention'));
  for (const { subject, text, fix } of configWarnings(deps.config))
    deps.logger.warn({ subject, warning: text, fix }, 'a setting needs attention');
  deps.logger.info({ host: deps.config.host, port: deps.config.port, schema }, 'listening');
  limitHeapGrowth();
  stopOnSignal(server, deps, endTracing); // before the launcher gets `ready`: it may stop the process at once
  process.send?.({ ready: true });
}

/** How many new connections the kernel queues. With a short queue, clients in a burst would have to repeat their SYN packet. */
const backlog = 4096;

function listen(server: Server, { host, port }: Deps['config']): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new Error(`Port ${port} on ${host} is already in use: set PORT to a free one.`) : error);
    });
    server.listen({ port, host, backlog }, resolve);
  });
}

/**
 * On a signal: `/ready` reports the drain at once, and the process serves on for DRAIN_SECONDS, so that load balancers notice it. Then it refuses new
 * connections, ends the streams, finishes the open requests, and closes the clients. A second signal ends the wait.
 */
function stopOnSignal(server: Server, deps: ServerDeps, endTracing: () => Promise<void>): void {
  const { config, db, temporal, bulkThread, limiter, streams, logger } = deps;
  const secondSignal = new AbortController();
  const stop = async (reason: string, drainMs: number) => {
    if (deps.isDraining) return secondSignal.abort();
    deps.isDraining = true;
    logger.info({ reason }, 'draining');
    await sleep(drainMs, undefined, { signal: secondSignal.signal }).catch(() => undefined);
    const deadline = setTimeout(() => server.closeAllConnections(), drainMsMax);
    const stopped = new Promise((resolve) => server.close(resolve));
    await streams.close(); // after new connections are refused: their clients connect again elsewhere
    // close() alone would wait until clients close their idle keep-alive connections.
    const sweep = setInterval(() => server.closeIdleConnections(), 25);
    await stopped;
    clearTimeout(deadline);
    clearInterval(sweep);
    limiter.close();
    const closed = Promise.allSettled([bulkThread.stop(), temporal.close(), db.close(), endTracing()]);
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, closeMsMax))]);
    logger.info('stopped');
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal, config.drainSeconds * 1000));
  process.on('disconnect', () => void stop('the launcher has ended', 0));
}

try {
  await start(createDeps(process.env));
} catch (error) {
  process.stderr.write(`${error instanceof ConfigError ? error.message : `The API could not start: ${(error as Error).message}`}\n`);
  process.exit(1);
}
