/** Runs the Temporal workers of one thread of the worker process. */
import { activityInfo, asyncLocalStorage } from '@temporalio/activity';
import { NativeConnection, Runtime } from '@temporalio/worker';
import type { Config } from '../../models/settings/config.js';
import { connect } from '../../models/db/database.js';
import { createYieldingPace, type UrgentWork } from '../../models/flow/give-way.js';
import { retry } from '../../models/flow/retry.js';
import type { Logger } from '../../models/process/logger.js';
import { startTracing } from '../../models/tracing/tracing.js';
import { queues } from '../../workflows/contract.js';
import type { SharedEndpointStats } from '../webhooks/shared-endpoint-stats.js';
import { hasNamespace, patienceMs, temporalError } from '../support/connect-temporal.js';
import { coreTelemetry } from './core-metrics.js';
import { startHeartbeats } from './worker-heartbeat.js';
import { databaseAnswers, runWhileServersAnswer } from './run-while-servers-answer.js';
import { nativeLogging, sdkLogger } from './sdk-logger.js';
import type { TaskQueue } from '../support/slots.js';
import { type LeavableWorkers, type RunningWorkers, startWorkers, type WorkersDeps } from './workers.js';

export interface ThreadOptions {
  config: Config;
  logger: Logger;
  /** The name of the process. */
  worker: string;
  taskQueues: readonly TaskQueue[];
  /** Maximum number of connections to PostgreSQL. */
  poolMax: number;
  /** Database work of single messages. Database work of batches gives way to it. */
  urgent: UrgentWork;
  /** What all threads of the process know of the endpoints of webhooks. */
  endpoints: SharedEndpointStats;
}

/** Opens connections, runs the workers of these queues, and closes the connections after the workers have stopped. */
export async function startThread({
  config,
  logger,
  worker,
  taskQueues,
  poolMax,
  urgent,
  endpoints,
}: ThreadOptions): Promise<RunningWorkers> {
  Runtime.install({
    shutdownSignals: [], // see worker.ts
    telemetryOptions: { ...(await coreTelemetry(config, taskQueues[0] ?? '')), logging: nativeLogging },
    logger: sdkLogger(logger),
  });
  const endTracing = await startTracing({ tracing: config.tracing, logger, part: taskQueues.includes(queues.bulk) ? 'batches' : 'worker' });
  const pace = taskQueues.includes(queues.bulk) ? createYieldingPace(urgent, ownerOfWork) : urgent.pace;
  const db = connect(config.databaseUrl, poolMax, { pace });
  const start = () => startOnOwnConnection({ config, db, logger, taskQueues, endpoints });
  const first = await start();
  const heartbeats = startHeartbeats(db, logger, worker, taskQueues.join());
  const workers = runWhileServersAnswer(first, {
    start,
    heartbeats,
    databaseAnswers: () => databaseAnswers(config.databaseUrl),
    hasNamespace: () => hasNamespace(config.temporalServer, config.temporalNamespace),
    logger,
  });
  const done = workers.done.then(async () => {
    await heartbeats.end();
    await endTracing();
    await db.close();
  });
  return { done, stop: () => workers.stop().then(() => done) };
}

/** The workspace whose activity runs: the fairness key of its task. Undefined for work that belongs to no workspace or to several. */
export const ownerOfWork = (): string | undefined =>
  asyncLocalStorage.getStore() === undefined ? undefined : activityInfo().priority?.fairnessKey;

/** Patient, because Temporal may be away again since the process found it. @throws TemporalError */
async function connectWorkers({ config: { temporalServer }, logger }: Pick<WorkersDeps, 'config' | 'logger'>): Promise<NativeConnection> {
  const connect = () => NativeConnection.connect(temporalServer);
  return retry(connect, { logger, text: 'Temporal does not respond; trying again', forMs: patienceMs }).catch((error: unknown) => {
    throw temporalError(temporalServer, error);
  });
}

/** Each start has its own connection, because one connection has one worker of a queue at a time, and former workers may still finish activities. */
async function startOnOwnConnection(deps: Omit<WorkersDeps, 'connection'>): Promise<LeavableWorkers> {
  const connection = await connectWorkers(deps);
  const close = () => connection.close();
  const workers = await startWorkers({ ...deps, connection }).catch(async (error: unknown) => {
    await close().catch(() => undefined);
    throw error;
  });
  return { ...workers, done: workers.done.then(close) }; // if one failed, the process ends
}
