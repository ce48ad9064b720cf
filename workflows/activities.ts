/** The activities as workflows see them: by type only, with the time-outs and retries of each kind of work. */
import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import { queues } from './contract.js';

/** Short transactions that run inside a workflow task: one history event, no round trip. Each may run twice. */
export const local = proxyLocalActivities<Activities>({
  startToCloseTimeout: '5s',
  retry: { initialInterval: '100ms', maximumInterval: '5s' },
});

/** The debit of a batch touches every row of it. */
export const localForBatch = proxyLocalActivities<Activities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '100ms', maximumInterval: '5s' },
});

/** Longest wait for another attempt. Of groups of single messages thousands may wait for one provider; a page is worth hundreds of messages. */
const longestWait = (taskQueue: string) => (taskQueue === queues.bulk ? '10s' : '60s');

/** Calls to providers. The policy carries the retries while a provider is unavailable; attempts add no events. */
export const dispatching = (taskQueue: string, scheduleToCloseMs: number) =>
  proxyActivities<Activities>({
    taskQueue,
    startToCloseTimeout: '150s', // a slice of 20 s, the last calls, and two minutes to record their answers while the database is away
    heartbeatTimeout: '10s',
    scheduleToCloseTimeout: scheduleToCloseMs,
    retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: longestWait(taskQueue) },
  });

/** Questions to providers whose report is missing. Worth a few tries, no more: the report may still come by itself. */
export const asking = proxyActivities<Activities>({
  startToCloseTimeout: '60s',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', maximumInterval: '60s', maximumAttempts: 5 },
});

/** First attempts of deliveries. Retries are for faults of ours; what a receiver does is an outcome. */
export const delivering = (taskQueue: string) =>
  proxyActivities<Activities>({
    taskQueue,
    startToCloseTimeout: '120s',
    heartbeatTimeout: '10s',
    retry: { initialInterval: '500ms', maximumInterval: longestWait(taskQueue) },
  });

/** The attempts of a carrier. What a receiver does is an outcome; retries are for faults of ours. */
export const carrying = proxyActivities<Activities>({
  taskQueue: queues.webhooks,
  startToCloseTimeout: '180s',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', maximumInterval: '60s' },
});

/** Retries of deliveries, where each failure brings the delay until the next attempt is due (`nextRetryDelay`), and pages of a replay. */
export const retrying = proxyActivities<Activities>({
  taskQueue: queues.webhooks,
  startToCloseTimeout: '120s',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', maximumInterval: '60s' },
});

/** Attempts that somebody asked for. Retries are for faults of ours, and only while the asker may still be looking. */
export const attempting = proxyActivities<Activities>({
  taskQueue: queues.webhooks,
  startToCloseTimeout: '20s', // above the 10 s deadline of one call
  heartbeatTimeout: '10s',
  scheduleToCloseTimeout: '10m',
  retry: { initialInterval: '500ms', maximumInterval: '10s' },
});

/** Mails. */
export const background = proxyActivities<Activities>({
  taskQueue: queues.background,
  startToCloseTimeout: '60s',
  retry: { initialInterval: '1s', maximumInterval: '10m' },
});

/** Steps of the watcher. Each is short, and what one leaves is the next round's: it is tried twice at most, and never waited for long. */
export const watching = proxyActivities<Activities>({
  taskQueue: queues.watcher,
  startToCloseTimeout: '40s', // above its slice of 20 s and a last page
  scheduleToCloseTimeout: '60s',
  retry: { initialInterval: '1s', maximumAttempts: 2 },
});
