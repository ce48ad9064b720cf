/** Entry point of the worker's second thread, see worker.ts. Tells `ready`, and stops when it is told anything. */
import { parentPort } from 'node:worker_threads';
import { loadConfig } from '../../models/settings/config.js';
import { answerFirstThread } from '../../models/metrics/threads.js';
import { createLogger } from '../../models/process/logger.js';
import { standBack } from '../../models/process/stand-back.js';
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
});
standBack(); // now that it is ready: nobody waits for its start any longer than for others
parentPort?.once('message', () => void workers.stop());
parentPort?.postMessage('ready');
await workers.done;
