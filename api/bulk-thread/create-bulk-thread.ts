/** A worker thread that validates, renders and stores requests with thousands of recipients, so that other requests do not wait for them. */
import { Worker as Thread } from 'node:worker_threads';
import { sharePool } from '../../models/db/database.js';
import { internal } from '../../models/errors.js';
import { createConcurrencyLimit } from '../../models/flow/concurrency-limit.js';
import type { UrgentWork } from '../../models/flow/give-way.js';
import { apiBulkThreadLimits } from '../../models/flow/heap.js';
import { restWhileSending } from '../../models/flow/rest-while-sending.js';
import type { Config } from '../../models/settings/config.js';
import type { BulkDeps, BulkHandlers } from '../deps.js';
import type { HandlerRequest } from '../http/handler-request.js';
import { Reply } from '../http/reply.js';
import { ThreadCalls, type Transfer, transferableBuffers } from './thread-calls.js';
import { type BatchQuestion, UnansweredSends } from './unanswered-sends.js';

export interface BulkThread extends BulkHandlers {
  /** Ends the thread without waiting for its work. */
  stop(): Promise<void>;
}

/** The calls that the bulk thread answers. */
export type BulkThreadCalls = {
  runHandler(call: { endpointId: string; request: HandlerRequest }): Promise<Transfer<Pick<Reply, 'body' | 'options'>>>;
};
/** The calls that the main thread answers. The process keeps one connection to Temporal, in the main thread. */
export type MainThreadCalls = Pick<UnansweredSends, 'acceptBatch'>;

/** Concurrent bulk sends. Each may use about ten times the bytes of its body. Workspaces take turns. */
const sendLimits = { max: 3, maxPerKey: 1 };
/** Concurrent previews. Each keeps all rendered texts in memory. */
const previewLimits = { max: 2, maxPerKey: 1 };
const previewEndpointId = 'previewMessages';
/**
 * While single messages are sent, a workspace rests after each of its requests for six times as long as that took, three seconds at most.
 * Otherwise large requests of one workspace would use a core all the time: its rendering, and the garbage of it.
 */
const jobRest = { share: 6, msMax: 3_000 };

/** Several times the heap that the largest request needs. Beyond it the thread ends, and the process keeps running. */
const defaultHeap = { maxMegabytes: 512 };

export interface BulkThreadOptions {
  /** The settings of this process. */
  env: NodeJS.ProcessEnv;
  /** The services of the main thread. */
  deps: BulkDeps;
  /** Work of the main thread to which the bulk thread gives way in the database. */
  urgent: UrgentWork;
  /** Single messages that are being accepted. */
  sends: Pick<UrgentWork, 'isRecent'>;
  heap?: typeof defaultHeap;
}

/**
 * The thread starts with the first bulk request, because it costs 50 MB and a second. If it fails, for example because its heap is
 * full, the requests in it fail, except for sends whose batches are accepted (`unanswered-sends.ts`). The next request starts a new thread.
 */
export function createBulkThread({ deps, sends, ...startOptions }: BulkThreadOptions): BulkThread {
  const restMsAfter = restWhileSending(sends, jobRest);
  const limitSends = createConcurrencyLimit({ ...sendLimits, restMsAfter });
  const limitPreviews = createConcurrencyLimit({ ...previewLimits, restMsAfter });
  const unanswered = new UnansweredSends(deps);
  let started: Started | undefined;
  let isStopping = false;
  const running = () => {
    started ??= start({ ...startOptions, unanswered }, (err) => {
      if (!isStopping) deps.logger.error({ err }, 'the bulk thread failed; the next bulk send starts a new one');
      started = undefined;
    });
    return started;
  };
  return {
    runHandler: (endpointId, request) => {
      const isPreview = endpointId === previewEndpointId;
      return (isPreview ? limitPreviews : limitSends)(async () => {
        const { calls } = running();
        const buffers = transferableBuffers(request.body);
        try {
          const { body, options } = await calls.call('runHandler', { endpointId, request }, buffers);
          return new Reply(body, options);
        } catch (error) {
          if (!(error instanceof ThreadFailedError)) throw error;
          const reply = isPreview ? null : await unanswered.reply(request.newId);
          if (reply === null) throw internal(error, 1);
          return reply;
        } finally {
          unanswered.forget(request.newId);
        }
      }, request.caller?.workspaceId);
    },
    async stop() {
      isStopping = true;
      await started?.thread.terminate();
    },
  };
}

interface Started {
  thread: Thread;
  calls: ThreadCalls<BulkThreadCalls>;
}

class ThreadFailedError extends Error {}

function start(
  { env, unanswered, urgent, heap = defaultHeap }: Omit<BulkThreadOptions, 'deps' | 'sends'> & { unanswered: UnansweredSends },
  onEnd: (error: unknown) => void,
): Started {
  const thread = new Thread(new URL('./bulk-thread.js', import.meta.url), {
    env,
    workerData: urgent.memory,
    resourceLimits: { ...apiBulkThreadLimits, maxOldGenerationSizeMb: heap.maxMegabytes },
  });
  const calls = new ThreadCalls<BulkThreadCalls>(thread, { acceptBatch: (question: BatchQuestion) => unanswered.acceptBatch(question) });
  let cause: unknown;
  thread.once('error', (error) => {
    cause = error;
  });
  thread.once('exit', (code) => {
    const error = new ThreadFailedError(`the bulk thread exited with code ${code}`, { cause });
    calls.fail(error);
    onEnd(cause ?? error);
  });
  return { thread, calls };
}

/** Splits the database connections of the process between the two threads. A bulk send holds a connection while it writes all its rows. */
export const apiPoolSizes = ({ databasePoolMax }: Pick<Config, 'databasePoolMax'>) => sharePool(databasePoolMax, bulkShare);

const bulkShare = 0.4;
