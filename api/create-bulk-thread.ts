/** Bodies with thousands of parts are judged, rendered and stored in a thread of their own, so that other requests do not wait for them. */
import { Worker as Thread } from 'node:worker_threads';
import type { Config } from '../models/config.js';
import { sharePool } from '../models/database.js';
import { secondThreadLimits } from '../models/heap.js';
import type { Asked } from './answer.js';
import { Reply } from './endpoint.js';
import type { Temporal } from './temporal.js';
import { ThreadCalls } from './thread-calls.js';

export interface BulkThread {
  /** Answers as `answer` does. A thread that fails takes the process with it. */
  answer(endpointId: string, asked: Asked): Promise<Reply>;
  /** Ends the thread, whatever it is doing. */
  stop(): Promise<void>;
}

/** What the thread does for others. */
export type InBulkThread = {
  answer(request: { endpointId: string; asked: Asked }): Promise<Pick<Reply, 'data' | 'options'>>;
};
/** What others do for it: one connection to Temporal, and one copy of its client, are enough for a process. */
export type ForBulkThread = Pick<Temporal, 'acceptBatch'>;

/**
 * Starts with the first request: 30 MB and half a second for those who send in bulk, nothing for the others.
 * @param env the settings of this process
 */
export function createBulkThread(env: NodeJS.ProcessEnv, offer: ForBulkThread): BulkThread {
  let started: ReturnType<typeof start> | undefined;
  return {
    async answer(endpointId, asked) {
      started ??= start(env, offer);
      const { data, options } = await started.calls.ask('answer', { endpointId, asked });
      return new Reply(data, options);
    },
    async stop() {
      await started?.thread.terminate();
    },
  };
}

function start(env: NodeJS.ProcessEnv, { acceptBatch }: ForBulkThread): { thread: Thread; calls: ThreadCalls<InBulkThread> } {
  const thread = new Thread(new URL('./bulk-thread.js', import.meta.url), {
    env,
    resourceLimits: secondThreadLimits,
  });
  thread.once('error', (error) => {
    throw error; // as if it had happened here
  });
  return { thread, calls: new ThreadCalls<InBulkThread>(thread, { acceptBatch }) };
}

/** How the connections of the process are shared out: whoever stores ten thousand rows holds one all the while. */
export const poolSizes = ({ databasePoolMax }: Pick<Config, 'databasePoolMax'>) => sharePool(databasePoolMax, bulkShare);

const bulkShare = 0.4;
