/** Bodies with thousands of parts are judged, rendered and stored in a thread of their own, so that other requests do not wait for them. */
import { Worker as Thread } from 'node:worker_threads';
import type { Config } from '../../models/settings/config.js';
import { sharePool } from '../../models/db/database.js';
import { internal } from '../../models/errors.js';
import { secondThreadLimits } from '../../models/flow/heap.js';
import type { Logger } from '../../models/process/logger.js';
import { createTurnstile } from '../../models/flow/turnstile.js';
import type { Asked } from '../http/asked.js';
import { Reply } from '../http/reply.js';
import type { Temporal } from '../outside/temporal.js';
import { type Moved, ownBytes, ThreadCalls } from './thread-calls.js';

export interface BulkThread {
  /** Answers as `answer` does. */
  answer(endpointId: string, asked: Asked): Promise<Reply>;
  /** Ends the thread, whatever it is doing. */
  stop(): Promise<void>;
}

/** What the thread does for others. */
export type InBulkThread = {
  answer(request: { endpointId: string; asked: Asked }): Promise<Moved<Pick<Reply, 'data' | 'options'>>>;
};
/** What others do for it: one connection to Temporal, and one copy of its client, are enough for a process. */
export type ForBulkThread = Pick<Temporal, 'acceptBatch'>;

/** Jobs at once: each may hold some ten times the bytes of its body. Workspaces take turns. */
const jobs = { most: 3, mostOfKey: 2 };
/** Of those that are only looked at: they hold all that they render. */
const previews = { most: 2, mostOfKey: 1 };
const previewMessage = 'messages.preview';

/** Several times what the largest requests need. Above that the thread ends, and not the process. */
const usualHeap = { heapMbMax: 512 };

/**
 * Starts with the first request: 30 MB and half a second for those who send in bulk, nothing for the others. A thread that fails, for example
 * because its heap is full, fails what was asked of it and no more; the next request starts another.
 * @param env the settings of this process
 */
export function createBulkThread(
  env: NodeJS.ProcessEnv,
  offer: ForBulkThread,
  logger: Pick<Logger, 'error'>,
  heap = usualHeap,
): BulkThread {
  const [inTurn, inTurnOfPreviews] = [createTurnstile(jobs), createTurnstile(previews)];
  let started: Started | undefined;
  let isStopping = false;
  const running = () => {
    started ??= start(env, offer, heap, (err) => {
      if (!isStopping) logger.error({ err }, 'the thread of bulk sends failed, the next bulk send starts another');
      started = undefined;
    });
    return started;
  };
  return {
    answer: (endpointId, asked) =>
      (endpointId === previewMessage ? inTurnOfPreviews : inTurn)(async () => {
        const { calls } = running();
        const { data, options } = await calls.ask('answer', { endpointId, asked }, ownBytes(asked.body)).catch((error: unknown) => {
          throw error instanceof ThreadFailed ? internal(error, 1) : error;
        });
        return new Reply(data, options);
      }, asked.caller?.workspaceId),
    async stop() {
      isStopping = true;
      await started?.thread.terminate();
    },
  };
}

interface Started {
  thread: Thread;
  calls: ThreadCalls<InBulkThread>;
}

class ThreadFailed extends Error {}

function start(env: NodeJS.ProcessEnv, { acceptBatch }: ForBulkThread, heap: typeof usualHeap, failed: (error: unknown) => void): Started {
  const thread = new Thread(new URL('./bulk-thread.js', import.meta.url), {
    env,
    resourceLimits: { ...secondThreadLimits, maxOldGenerationSizeMb: heap.heapMbMax },
  });
  const calls = new ThreadCalls<InBulkThread>(thread, { acceptBatch });
  let cause: unknown;
  thread.once('error', (error) => {
    cause = error;
  });
  thread.once('exit', (code) => {
    const error = new ThreadFailed(`the thread of bulk sends ended with ${code}`, { cause });
    calls.fail(error);
    failed(cause ?? error);
  });
  return { thread, calls };
}

/** How the connections of the process are shared out: whoever stores ten thousand rows holds one all the while. */
export const poolSizes = ({ databasePoolMax }: Pick<Config, 'databasePoolMax'>) => sharePool(databasePoolMax, bulkShare);

const bulkShare = 0.4;
