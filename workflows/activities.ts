/** The activities as workflows see them: types only, with the timeouts and retries of each kind of work. */
import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import { queues } from './contract.js';

/** For transactions that fail only while the database is away. */
const quickRetries = { initialInterval: '100ms', maximumInterval: '5s' } as const;

/** Short transactions that run inside a workflow task. Each costs one history event and no round trip. Each may run twice. */
export const local = proxyLocalActivities<Activities>({
  startToCloseTimeout: '5s',
  retry: quickRetries,
});

/** The debit of a batch. It takes longer than other local activities, because it updates every row of the batch. */
export const localForBatch = proxyLocalActivities<Activities>({
  startToCloseTimeout: '30s',
  retry: quickRetries,
});

/** The opening of a page, which writes an event for each of its messages. In the queue of batches, so that no single message waits for it. */
export const opening = proxyActivities<Activities>({
  taskQueue: queues.bulk,
  startToCloseTimeout: '30s',
  retry: quickRetries,
});

/** Longest wait between two attempts. It is short for pages: there are few, and each is worth hundreds of messages. */
const longestWait = (taskQueue: string) => (taskQueue === queues.bulk ? '10s' : '60s');

/** Calls to providers. The retry policy repeats them while a provider is unavailable. A retry adds no history event. */
export const dispatching = (taskQueue: string, scheduleToCloseMs: number) =>
  proxyActivities<Activities>({
    taskQueue,
    startToCloseTimeout: '250s', // a slice of 20 s, a wait for connections of 60 s, the last calls of 40 s, and two minutes to record their answers while the database is away
    heartbeatTimeout: '10s',
    scheduleToCloseTimeout: scheduleToCloseMs,
    retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: longestWait(taskQueue) },
  });

/** Status queries to providers whose report is missing. A few attempts are enough, because the report may still arrive. */
export const querying = (taskQueue: string) =>
  proxyActivities<Activities>({
    taskQueue,
    startToCloseTimeout: '60s',
    heartbeatTimeout: '10s',
    retry: { initialInterval: '1s', maximumInterval: '60s', maximumAttempts: 5 },
  });

/** First attempts of deliveries. A refusal by the receiver is a result. Only our own faults are retried. */
export const delivering = (taskQueue: string) =>
  proxyActivities<Activities>({
    taskQueue,
    startToCloseTimeout: '120s',
    heartbeatTimeout: '10s',
    retry: { initialInterval: '500ms', maximumInterval: longestWait(taskQueue) },
  });

/** The attempts of a retrier. A refusal by the receiver is a result. Only our own faults are retried. */
export const retrierCalls = proxyActivities<Activities>({
  taskQueue: queues.webhooks,
  startToCloseTimeout: '180s',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', maximumInterval: '60s' },
});

/** Retries of deliveries, and pages of a replay. A failure sets the delay until the next attempt is due (`nextRetryDelay`). */
export const retrying = proxyActivities<Activities>({
  taskQueue: queues.webhooks,
  startToCloseTimeout: '120s',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', maximumInterval: '60s' },
});

/** Attempts that a user requested. Our own faults are retried for ten minutes, while the user may still wait for the outcome. */
export const attempting = proxyActivities<Activities>({
  taskQueue: queues.webhooks,
  startToCloseTimeout: '20s', // above the 10 s deadline of one call
  heartbeatTimeout: '10s',
  scheduleToCloseTimeout: '10m',
  retry: { initialInterval: '500ms', maximumInterval: '10s' },
});

/** Account mails and status queries after a restore. */
export const background = proxyActivities<Activities>({
  taskQueue: queues.background,
  startToCloseTimeout: '60s',
  retry: { initialInterval: '1s', maximumInterval: '10m' },
});

/** Steps of the watcher. A step that fails twice or takes too long is left to the next run. */
export const watching = proxyActivities<Activities>({
  taskQueue: queues.watcher,
  startToCloseTimeout: '40s', // above its slice of 20 s and its last pages
  heartbeatTimeout: '10s', // a run waits for a killed worker as long as this
  scheduleToCloseTimeout: '60s',
  retry: { initialInterval: '1s', maximumAttempts: 2 },
});
