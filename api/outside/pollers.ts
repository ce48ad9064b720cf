import type { WorkflowService } from '@temporalio/client';

/** `temporal.api.enums.v1.TaskQueueType`. */
const taskQueueTypes = { workflow: 1, activity: 2 } as const;

/** An idle poll lasts up to a minute. A worker whose last poll is longer ago has ended. */
const pollerAgeMsMax = 70_000;

interface Poller {
  identity: string;
  /** The time since its last poll. */
  ageMs: number;
}

/**
 * The workers that have polled a task queue recently.
 * @param now in milliseconds since 1970, by the clock of the database: the clock of this process may be ahead, and running workers would seem to have ended
 */
export async function recentPollers(
  workflowService: WorkflowService,
  namespace: string,
  queue: string,
  type: keyof typeof taskQueueTypes,
  now: number,
): Promise<Poller[]> {
  const request = { namespace, taskQueue: { name: queue }, taskQueueType: taskQueueTypes[type] };
  const { pollers } = await workflowService.describeTaskQueue(request);
  const all = (pollers ?? []).map(({ identity, lastAccessTime }) => ({
    identity: identity ?? '',
    ageMs: Math.max(0, now - Number(lastAccessTime?.seconds ?? 0) * 1000),
  }));
  return all.filter(({ ageMs }) => ageMs < pollerAgeMsMax);
}
