import { condition, sleep } from '@temporalio/workflow';
import { local } from './activities.js';
import { type SendMessagesInput, searchAttributes, workflowIds } from './contract.js';
import { startUnlessRunning } from './other-workflows.js';

/** Drives a message; handed in, because it starts this too. */
type Driver = (input: SendMessagesInput) => Promise<void>;

export interface FallenBack {
  /** What is decided stays decided. */
  isOver: boolean;
  /** Due deliveries of the group. */
  deliveries: number;
}

/** Asks whether the next step of a message's chain begins, and starts its workflow. @param isDue the message has had its time */
async function fallBack(groupId: string, isDue: boolean, driver: Driver): Promise<FallenBack> {
  const { next, waits, deliveries } = await local.fallBack(groupId, isDue);
  if (next !== null) {
    const { groupId: nextId, workspaceId, channel, fallbackAfterMs } = next;
    const input = { groupId: nextId, ...(fallbackAfterMs === null ? {} : { fallbackAfterMs }) };
    await startUnlessRunning(driver, input, {
      workflowId: workflowIds.message(nextId),
      staticSummary: `fallback of ${groupId}`,
      typedSearchAttributes: [
        { key: searchAttributes.workspaceId, value: workspaceId },
        { key: searchAttributes.channel, value: channel },
      ],
    });
  }
  return { isOver: !waits, deliveries };
}

/** The next step begins when the message has failed, or was not delivered in its time. @param group `isClosed`: its end is known */
export async function fallBackInTime(groupId: string, afterMs: number, group: { isClosed: boolean }, driver: Driver): Promise<FallenBack> {
  const dueAt = Date.now() + afterMs;
  await condition(() => group.isClosed, afterMs);
  const early = await fallBack(groupId, Date.now() >= dueAt, driver);
  if (early.isOver) return early;
  await sleep(Math.max(1, dueAt - Date.now()));
  return fallBack(groupId, true, driver);
}
