/** Entry point of the API process: settings → connections → app → listen → drain → close. */
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError, loadConfig } from '../models/settings/config.js';
import { connect } from '../models/db/database.js';
import { keepHeapSmall } from '../models/flow/heap.js';
import { serveMetrics } from '../models/metrics/serve.js';
import { createLogger } from '../models/process/logger.js';
import { createResolver } from '../models/process/name-resolver.js';
import { warmUpPasswords } from '../models/passwords.js';
import { outdatedRuntime } from '../models/process/runtime.js';
import { createAcceptGate } from './accept/accept-gate.js';
import { createApp } from './app.js';
import { type BulkThread, createBulkThread, poolSizes } from './bulk-thread/create-bulk-thread.js';
import type { Deps } from './deps.js';
import { createHttpServer, usualPatience } from './http/http-server.js';
import { createPayments } from './outside/payments.js';
import { createLimiter } from './http/rate-limit.js';
import { createReportInbox } from './outside/report-inbox.js';
import { createGaugeReader } from './outside/show-gauges.js';
import { createSns } from './outside/sns.js';
import { connectTemporal } from './outside/temporal.js';

const drainMsMax = 10_000;
/** Longest wait for connections that do not close by themselves. */
const closeMsMax = 2000;

type ServerDeps = Deps & { bulkThread: BulkThread };

/** Opens what the API needs. Nothing is asked here whether it answers: `/health` tells, and every call connects by itself. */
function createDeps(env: NodeJS.ProcessEnv): ServerDeps {
  const config = loadConfig(env);
  const logger = createLogger('api', config.logLevel);
  const db = connect(config.databaseUrl, poolSizes(config).own);
  const temporal = connectTemporal(config);
  return {
    config,
    logger,
    db,
    temporal,
    acceptGate: createAcceptGate({ config, logger, db, temporal }),
    reportInbox: createReportInbox({ logger, db, temporal }),
    bulkThread: createBulkThread(env, temporal, logger),
    limiter: createLimiter(config, logger),
    payments: createPayments(config, logger),
    resolve: createResolver({ servers: config.webhookDnsServers }),
    sns: createSns(),
    startedAt: Date.now(),
    isDraining: false,
  };
}

async function start(deps: ServerDeps): Promise<void> {
  const server = createHttpServer(createApp(deps), deps.limiter, usualPatience, {
    ...deps.config.connections,
    proxies: deps.config.trustedProxies,
  });
  await warmUpPasswords();
  await listen(server, deps.config);
  await serveMetrics({ ...deps.config.metrics, logger: deps.logger, refresh: createGaugeReader(deps.db) });
  const outdated = outdatedRuntime(process.version);
  if (outdated !== undefined) deps.logger.warn(outdated);
  deps.logger.info({ host: deps.config.host, port: deps.config.port }, 'listening');
  process.send?.({ ready: true });
  stopOnSignal(server, deps);
}

/** Connections that the system holds until they are taken: a burst of clients is not to wait for a second SYN. */
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
 * Says at once that it is not ready, and serves on for a while, so that load balancers see it and send no more; then finishes the requests that are
 * under way, refuses new connections, and closes what was opened. A second signal ends the while.
 */
function stopOnSignal(server: Server, deps: ServerDeps): void {
  const { config, db, temporal, bulkThread, limiter, logger } = deps;
  const impatience = new AbortController();
  const stop = async (reason: string, drainMs: number) => {
    if (deps.isDraining) return impatience.abort();
    deps.isDraining = true;
    logger.info({ reason }, 'draining');
    await sleep(drainMs, undefined, { signal: impatience.signal }).catch(() => undefined);
    const deadline = setTimeout(() => server.closeAllConnections(), drainMsMax);
    // Connections that are kept alive become idle one by one; close() alone would wait for their clients.
    const sweep = setInterval(() => server.closeIdleConnections(), 25);
    await new Promise((resolve) => server.close(resolve));
    clearTimeout(deadline);
    clearInterval(sweep);
    limiter.close();
    const closed = Promise.allSettled([bulkThread.stop(), temporal.close(), db.close()]);
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, closeMsMax))]);
    logger.info('stopped');
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal, config.drainSeconds * 1000));
  process.on('disconnect', () => void stop('launcher is gone', 0));
}

keepHeapSmall();
try {
  await start(createDeps(process.env));
} catch (error) {
  process.stderr.write(`${error instanceof ConfigError ? error.message : `The API could not start: ${(error as Error).message}`}\n`);
  process.exit(1);
}
