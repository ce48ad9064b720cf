/** Entry point of the worker process: `node dist/activities/worker.js`. */
import { once } from 'node:events';
import { Worker as Thread } from 'node:worker_threads';
import { ConfigError, loadConfig } from '../models/settings/config.js';
import { workerMetricsPort } from '../models/settings/operator-settings.js';
import { limitHeapGrowth, workerBatchThreadLimits } from '../models/flow/heap.js';
import { UrgentWork } from '../models/flow/give-way.js';
import { serveMetrics } from '../models/metrics/serve.js';
import { logLibraryWarnings } from '../models/process/library-warnings.js';
import { createLogger } from '../models/process/logger.js';
import { reportOutdatedRuntime } from '../models/process/runtime.js';
import { requireSchema, SchemaError } from '../models/startup/require-schema.js';
import { requireSecretKey, SecretKeyError } from '../models/startup/require-secret-key.js';
import { queues } from '../workflows/contract.js';
import { TemporalError } from './support/connect-temporal.js';
import { SharedEndpointStats } from './webhooks/shared-endpoint-stats.js';
import type { SharedMemory } from './worker/batch-thread.js';
import { keepPrepared } from './worker/keep-prepared.js';
import { ForeignNamespaceError } from './worker/prepare-temporal.js';
import { nameWorker } from './worker/worker-heartbeat.js';
import { startThread } from './worker/worker-thread.js';
import { batchThreadQueues, workerPoolSizes, type RunningWorkers } from './worker/workers.js';

async function main(): Promise<void> {
  const config = loadConfig(process.env);
  const logger = createLogger('worker', config.logLevel);
  logLibraryWarnings(logger);
  const schema = await requireSchema(config, logger);
  await requireSecretKey(config, logger);
  reportOutdatedRuntime((warning) => logger.warn({ warning }, 'the version of Node needs attention'));
  const { metrics, dataDir } = config;
  await serveMetrics({ ...metrics, port: workerMetricsPort(metrics.port), dataDir, logger });
  const keeping = await keepPrepared(config, logger);

  // Before this point a signal ends the process at once. From here on it stops gracefully.
  const toldToStop = new Promise<string>((resolve) => {
    process.once('SIGTERM', resolve).once('SIGINT', resolve);
    process.once('disconnect', () => resolve('the launcher has ended'));
  });
  const taskQueues = Object.values(queues).filter((queue) => !batchThreadQueues.includes(queue));
  const shared = { worker: nameWorker(), urgent: new UrgentWork(), endpoints: new SharedEndpointStats() };
  const threads = await Promise.all([
    startThread({ config, logger, taskQueues, poolMax: workerPoolSizes(config).own, ...shared }),
    startBatchThread({ worker: shared.worker, urgent: shared.urgent.memory, endpoints: shared.endpoints.memory }),
  ]);
  const foreign = keeping.ended.then(() => 'namespace of another installation');
  void Promise.race([toldToStop, foreign]).then((reason) => {
    logger.info({ reason }, 'draining');
    for (const thread of threads) void thread.stop();
  });
  limitHeapGrowth();
  process.send?.({ ready: true });
  logger.info({ schema }, 'ready');

  await Promise.all(threads.map(({ done }) => done));
  await keeping.end();
  logger.info('stopped');
  process.exit(); // an open channel to the parent, and polls that nobody has ended, would keep the process alive
}

/** Starts the thread of batches and retries. It has a lower priority, so that neither delays single messages and first attempts. */
async function startBatchThread(workerData: SharedMemory): Promise<RunningWorkers> {
  const thread = new Thread(new URL('./worker/batch-thread.js', import.meta.url), {
    resourceLimits: workerBatchThreadLimits,
    workerData,
  });
  const done = once(thread, 'exit').then(([code]) => {
    if (code !== 0) throw new Error(`The thread of batches ended with exit code ${code}`);
  });
  await Promise.race([once(thread, 'message'), done]);
  return {
    done,
    stop: () => {
      thread.postMessage('stop');
      return done;
    },
  };
}

/** Errors whose message tells the operator what to do. That of the thread of batches has the name of its class. */
const explained = [ConfigError, SchemaError, SecretKeyError, TemporalError, ForeignNamespaceError];
const isExplained = (error: unknown) =>
  error instanceof Error && explained.some((kind) => error instanceof kind || error.name === kind.name);

try {
  await main();
} catch (error) {
  process.stderr.write(
    isExplained(error) ? `${(error as Error).message}\n` : `The worker failed: ${error instanceof Error ? error.stack : error}\n`,
  );
  process.exit(1);
}
