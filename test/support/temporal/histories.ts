import { decodeTimeoutType } from '@temporalio/common';
import { until } from '../client.js';
import type { TestTemporal } from './temporal.js';

/** The number of history events of a closed workflow. */
export async function eventCount({ client }: TestTemporal, workflowId: string): Promise<number> {
  const handle = client.workflow.getHandle(workflowId);
  await until(async () => (await handle.describe()).status.name !== 'RUNNING', `${workflowId} closes`);
  const { events } = await handle.fetchHistory();
  return events?.length ?? 0;
}

/** The kinds of timeout that ended attempts of the activities of all workflows of a type, such as `HEARTBEAT`. */
export async function timeoutsOf({ client }: TestTemporal, workflowType: string): Promise<Set<string>> {
  const kinds = new Set<string>();
  for await (const { workflowId, runId } of client.workflow.list({ query: `WorkflowType = '${workflowType}'` })) {
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    for (const { activityTaskStartedEventAttributes: started, activityTaskTimedOutEventAttributes: timedOut } of events ?? []) {
      const kind = decodeTimeoutType((started?.lastFailure ?? timedOut?.failure)?.timeoutFailureInfo?.timeoutType);
      if (kind !== undefined) kinds.add(kind);
    }
  }
  return kinds;
}
