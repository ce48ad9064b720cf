/** The Temporal workers of one thread. The worker of `messages` runs workflows and activities, the others run activities only. */
import { setMaxListeners } from 'node:events';
import { resolve } from 'node:path';
import { Client } from '@temporalio/client';
import type { NativeConnection, Worker, WorkerOptions } from '@temporalio/worker';
import type { Config } from '../../models/settings/config.js';
import { type Database, sharePool } from '../../models/db/database.js';
import { createHandoffFailureSeries } from '../../models/metrics/observe.js';
import type { Logger } from '../../models/process/logger.js';
import { isTracing } from '../../models/tracing/tracing.js';
import { queues } from '../../workflows/contract.js';
import { createActivities } from '../index.js';
import { drainingWorker } from './draining-worker.js';
import { leanWorker } from './lean-worker.js';
import { leaveLocalActivities } from './leave-work.js';
import { activitySlots, type TaskQueue } from '../support/slots.js';
import { pageTuner } from './page-slots.js';
import { traceActivities } from './trace-activities.js';
import type { SharedEndpointStats } from '../webhooks/shared-endpoint-stats.js';
import { webhookPoster } from '../webhooks/post-webhook.js';
import { createProviders } from '../handoff/providers/index.js';
import type { Providers } from '../handoff/providers/provider.js';
import { slotSharesOfThread } from '../handoff/slot-shares.js';
import { ReportPoster } from '../handoff/providers/report-poster.js';
import { workflowStarts } from '../support/workflow-starts.js';

/** Built by `npm run build`, see workflows/bundle.ts. */
export const workflowBundlePath = resolve(import.meta.dirname, '../../workflows.js');

export interface WorkersDeps {
  config: Config;
  db: Database;
  logger: Logger;
  connection: NativeConnection;
  /** The queues of this thread. */
  taskQueues: readonly TaskQueue[];
  /** What all threads of the process know of the endpoints of webhooks. */
  endpoints?: SharedEndpointStats | undefined;
  /** Replaces the configured providers in tests. */
  wrapProviders?: (providers: Providers) => Providers;
}

export interface RunningWorkers {
  /** Resolves when all workers have stopped; rejects when one failed. */
  done: Promise<void>;
  /** Finishes the running activities within the grace time, then stops. */
  stop(): Promise<void>;
}

export interface LeavableWorkers extends RunningWorkers {
  /** Stops as `stop` does, and leaves all workflows to other workers at once. */
  leave(): Promise<void>;
  /** Aborted when a poll has failed for good. The reason is the error. */
  refused: AbortSignal;
  /** Whether no activity and no workflow code runs. */
  isIdle(): boolean;
}

const pollers = { type: 'simple-maximum', maximum: 5 } as const;
/** Sends each heartbeat immediately, three times within the timeout, so that a busy process is not taken for a dead one. */
const heartbeats = { maxHeartbeatThrottleInterval: '1s', defaultHeartbeatThrottleInterval: '1s' } as const;
/** When the worker stops, activities finish their calls (40 s at most) and record the answers. The SDK cancels activities after this time. */
const grace = { shutdownGraceTime: '50s' } as const;

/** The queues of the thread of batches, which has a lower priority. Retries belong there, because receivers decide how many there are. */
export const batchThreadQueues: readonly TaskQueue[] = [queues.bulk, queues.webhooks];

/** Starts the workers of these queues, and the report poster if the sandbox is a provider. */
export async function startWorkers(deps: WorkersDeps): Promise<LeavableWorkers> {
  const { config, db, logger, connection, taskQueues, endpoints, wrapProviders = (all) => all } = deps;
  const { secretKey, callbackUrl } = config;
  let reports: ReportPoster | undefined;
  const onTaken = (dueInMs: number) => reports?.expect(dueInMs);
  const poster = webhookPoster(config);
  const providers = wrapProviders(createProviders(config, { db, delayMs: config.sandboxDelayMs, onTaken }));
  createHandoffFailureSeries(config.routes);
  const starts = workflowStarts(new Client({ connection, namespace: config.temporalNamespace }));
  const [stopping, leaving, refused] = [new AbortController(), new AbortController(), new AbortController()];
  setMaxListeners(0, stopping.signal, leaving.signal); // one for each activity
  const slots = slotSharesOfThread();
  const activities = createActivities({ db, config, logger, providers, slots, poster, endpoints, starts, stopping: stopping.signal });
  const interceptors = { activity: [leaveLocalActivities(leaving.signal), ...(isTracing() ? [traceActivities] : [])] };
  const common = { connection, namespace: config.temporalNamespace, activities, interceptors, ...grace, ...heartbeats };
  const workers = await Promise.all(
    taskQueues.map((taskQueue) => {
      const slotOptions =
        taskQueue === queues.bulk
          ? { tuner: pageTuner(() => slots.pages.slowSlots) }
          : { maxConcurrentActivityTaskExecutions: activitySlots[taskQueue] };
      const options = { ...common, taskQueue, ...slotOptions, ...optionsOf(config)[taskQueue] };
      const kind = drainingWorker((error) => refused.abort(error));
      return (taskQueue === queues.messages ? leanWorker(leaving.signal, kind) : kind).create(options);
    }),
  );
  if (providers.accounts.has('sandbox')) reports = new ReportPoster({ db, secretKey, callbackUrl, logger });
  const done = Promise.all(workers.map((worker) => worker.run())).then(async () => {
    await reports?.stop();
    poster.close();
  });
  return { done, refused: refused.signal, ...endingsOf(workers, done, { stopping, leaving }) };
}

function endingsOf(
  workers: readonly Worker[],
  done: Promise<void>,
  { stopping, leaving }: Record<'stopping' | 'leaving', AbortController>,
): Pick<LeavableWorkers, 'stop' | 'leave' | 'isIdle'> {
  const stop = async () => {
    stopping.abort();
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
    await done;
  };
  const leave = () => {
    leaving.abort();
    return stop();
  };
  const isIdle = () =>
    workers.every((worker) => {
      const { numInFlightActivities, numInFlightWorkflowActivations } = worker.getStatus();
      return numInFlightActivities + numInFlightWorkflowActivations === 0;
    });
  return { stop, leave, isIdle };
}

/** How the two threads of a worker process share its connections. */
export const workerPoolSizes = ({ databasePoolMax }: Pick<Config, 'databasePoolMax'>) => sharePool(databasePoolMax, bulkShare);

const bulkShare = 0.5;

const optionsOf = (config: Config): Partial<Record<TaskQueue, Partial<WorkerOptions>>> => ({
  [queues.messages]: {
    workflowBundle: { codePath: workflowBundlePath },
    maxCachedWorkflows: 500, // 0.17 MB each; a waiting workflow may be evicted, and is replayed when its report arrives
    maxConcurrentWorkflowTaskExecutions: 40,
    maxConcurrentLocalActivityExecutions: workerPoolSizes(config).own,
    workflowTaskPollerBehavior: pollers,
    activityTaskPollerBehavior: pollers,
    stickyQueueScheduleToStartTimeout: '5s', // how long a killed worker's workflows wait for it
  },
  [queues.bulk]: { activityTaskPollerBehavior: pollers },
  [queues.webhooks]: { activityTaskPollerBehavior: pollers },
});
