/** Entry point of the worker's thread of batches; see worker.ts. Posts `ready`. Stops at the first message from the parent. */
import { parentPort, workerData } from 'node:worker_threads';
import { loadConfig } from '../../models/settings/config.js';
import { UrgentWork } from '../../models/flow/give-way.js';
import { answerFirstThread } from '../../models/metrics/threads.js';
import { logLibraryWarnings } from '../../models/process/library-warnings.js';
import { createLogger } from '../../models/process/logger.js';
import { lowerThreadPriority } from '../../models/process/thread-priority.js';
import { SharedEndpointStats } from '../webhooks/shared-endpoint-stats.js';
import { startThread } from './worker-thread.js';
import { batchThreadQueues, workerPoolSizes } from './workers.js';

/** What the first thread gives to this one. */
export interface SharedMemory {
  /** The name of the process. */
  worker: string;
  urgent: SharedArrayBuffer;
  endpoints: SharedArrayBuffer;
}

const config = loadConfig(process.env);
const logger = createLogger('worker', config.logLevel);
const shared = workerData as SharedMemory;
logLibraryWarnings(logger);
answerFirstThread();
const workers = await startThread({
  config,
  logger,
  worker: shared.worker,
  taskQueues: batchThreadQueues,
  poolMax: workerPoolSizes(config).bulk,
  urgent: new UrgentWork(shared.urgent),
  endpoints: new SharedEndpointStats(shared.endpoints),
});
lowerThreadPriority(); // after the start, so that the start is not slow
parentPort?.once('message', () => void workers.stop());
parentPort?.postMessage('ready');
await workers.done;
process.exit(); // this thread: polls that nobody has ended would keep it alive
