/** Entry point of the API's second thread, see create-bulk-thread.ts. */
import { parentPort } from 'node:worker_threads';
import { loadConfig } from '../../models/settings/config.js';
import { connect } from '../../models/db/database.js';
import { answerFirstThread } from '../../models/metrics/threads.js';
import { createLogger } from '../../models/process/logger.js';
import { standBack } from '../../models/process/stand-back.js';
import { answer } from '../http/answer.js';
import type { BulkDeps } from '../deps.js';
import { bulkEndpoints } from '../endpoints/bulk/bulk-endpoints.js';
import { type ForBulkThread, type InBulkThread, poolSizes } from './create-bulk-thread.js';
import { Moved, ownBytes, type Port, ThreadCalls } from './thread-calls.js';

const config = loadConfig(process.env);
answerFirstThread();
const endpoints = new Map(bulkEndpoints.map((each) => [each.id, each]));
const inBulkThread: InBulkThread = {
  async answer({ endpointId, asked }) {
    const endpoint = endpoints.get(endpointId);
    if (endpoint === undefined) throw new Error(`${endpointId} is not answered in the thread of bulk sends`);
    const { buffer, byteOffset, byteLength } = asked.body;
    const { data, options } = await answer(endpoint, { ...asked, body: Buffer.from(buffer, byteOffset, byteLength) }, deps);
    // Ten thousand parts are written here, where nobody else waits for it.
    const json = new TextEncoder().encode(JSON.stringify({ success: true, data }));
    return new Moved({ data: {}, options: { ...options, json } }, ownBytes(json));
  },
};
const calls = new ThreadCalls<ForBulkThread>(parentPort as Port, inBulkThread);
const deps: BulkDeps = {
  config,
  db: connect(config.databaseUrl, poolSizes(config).bulk),
  logger: createLogger('api', config.logLevel),
  temporal: { acceptBatch: (request) => calls.ask('acceptBatch', request) },
};
standBack(); // now that it is ready
