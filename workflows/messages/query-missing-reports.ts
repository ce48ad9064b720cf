import { querying } from '../activities.js';

/**
 * Queries the providers for missing reports of a group, in as many activities as that takes. Without an answer the reports may still arrive.
 * @param taskQueue the queue of the group: its activities run in the slots of that queue
 * @param overdueAt only for messages whose time for reports was over at this time (ISO 8601)
 */
export async function queryMissingReports(groupId: string, taskQueue: string, overdueAt: string | null = null): Promise<void> {
  let after: string | null = null;
  do {
    after = await querying(taskQueue)
      .pollReports(groupId, { overdueAt, after })
      .catch(() => null);
  } while (typeof after === 'string'); // undefined from a worker of the former version
}
