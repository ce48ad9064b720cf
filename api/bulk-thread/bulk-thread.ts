/** Entry point of the bulk thread, see create-bulk-thread.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import { connect } from '../../models/db/database.js';
import { createYieldingPace, UrgentWork } from '../../models/flow/give-way.js';
import { collectGarbage } from '../../models/flow/heap.js';
import { answerFirstThread } from '../../models/metrics/threads.js';
import { logLibraryWarnings } from '../../models/process/library-warnings.js';
import { createLogger } from '../../models/process/logger.js';
import { lowerThreadPriority } from '../../models/process/thread-priority.js';
import { loadConfig } from '../../models/settings/config.js';
import type { BulkDeps } from '../deps.js';
import { bulkEndpoints } from '../endpoints/bulk/bulk-endpoints.js';
import type { HandlerRequest } from '../http/handler-request.js';
import { bufferOn, dataIn } from '../http/reply.js';
import { runHandler } from '../http/run-handler.js';
import { type BulkThreadCalls, type MainThreadCalls, apiPoolSizes } from './create-bulk-thread.js';
import { type Port, ThreadCalls, Transfer, transferableBuffers } from './thread-calls.js';

/**
 * A request of this size leaves garbage of many times its size. The thread collects all of it when no such request came for a while. To do so
 * after each request would take both cores for a tenth of a second each time.
 */
const largeBytes = 1_000_000;
const quietMs = 5_000;

const config = loadConfig(process.env);
const logger = createLogger('api', config.logLevel);
logLibraryWarnings(logger);
answerFirstThread();
const endpoints = new Map(bulkEndpoints.map((each) => [each.id, each]));
const handlers: BulkThreadCalls = {
  async runHandler({ endpointId, request }) {
    const endpoint = endpoints.get(endpointId);
    if (endpoint === undefined) throw new Error(`${endpointId} is not an endpoint of the bulk thread`);
    const isLarge = request.body.byteLength > largeBytes;
    const reply = await runHandler(endpoint, { ...request, body: bufferOn(request.body) }, depsOf(request)).finally(() => {
      if (isLarge) collectWhenQuiet();
    });
    // The response is serialized in this thread: ten thousand recipients would block the main thread.
    const json = new TextEncoder().encode(JSON.stringify({ success: true, data: dataIn(reply) }));
    return new Transfer({ body: { json }, options: reply.options }, transferableBuffers(json));
  },
};
let quietTimer: NodeJS.Timeout | undefined;
function collectWhenQuiet(): void {
  clearTimeout(quietTimer);
  quietTimer = setTimeout(collectGarbage, quietMs);
}
const mainThread = new ThreadCalls<MainThreadCalls>(parentPort as Port, handlers);
const services = {
  config,
  db: connect(config.databaseUrl, apiPoolSizes(config).bulk, { pace: createYieldingPace(new UrgentWork(workerData as SharedArrayBuffer)) }),
  logger,
};
function depsOf({ newId }: HandlerRequest): BulkDeps {
  return { ...services, temporal: { acceptBatch: (asked) => mainThread.call('acceptBatch', { ...asked, newId }) } };
}
collectGarbage();
lowerThreadPriority(); // the thread is ready: from now on it gives way to the main thread
