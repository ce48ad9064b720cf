import { queues } from '../../workflows/contract.js';

export type TaskQueue = (typeof queues)[keyof typeof queues];

/** How many activities of a queue a process runs at once. */
export const activitySlots: Readonly<Record<TaskQueue, number>> = {
  [queues.messages]: 100,
  [queues.bulk]: 8,
  [queues.webhooks]: 500,
  [queues.background]: 10,
  [queues.watcher]: 10,
};
