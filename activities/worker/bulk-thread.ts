/** Entry point of the worker's second thread; see worker.ts. Posts `ready`. Stops at the first message from the parent. */
import { parentPort, workerData } from 'node:worker_threads';
import { loadConfig } from '../../models/settings/config.js';
import { UrgentWork } from '../../models/flow/give-way.js';
import { answerFirstThread } from '../../models/metrics/threads.js';
import { createLogger } from '../../models/process/logger.js';
import { lowerThreadPriority } from '../../models/process/thread-priority.js';
import { queues } from '../../workflows/contract.js';
import { startThread } from './worker-thread.js';
import { poolSizes } from './workers.js';

const config = loadConfig(process.env);
answerFirstThread();
const workers = await startThread({
  config,
  logger: createLogger('worker', config.logLevel),
  taskQueues: [queues.bulk],
  poolMax: poolSizes(config).bulk,
  urgent: new UrgentWork(workerData as SharedArrayBuffer),
});
lowerThreadPriority(); // after the start, so that the start is not slow
parentPort?.once('message', () => void workers.stop());
parentPort?.postMessage('ready');
await workers.done;
