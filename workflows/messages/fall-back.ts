import { condition, sleep } from '@temporalio/workflow';
import { local } from '../activities.js';
import { type SendGroupInput, type SendMessageInput, workflowIds, workflowOf } from '../contract.js';
import type { MessageState } from './message-state.js';
import { startUnlessRunning } from '../other-workflows.js';
import { nextStepStart } from '../starts.js';

/** When the time is over and a call is still in progress: how often to check whether it has ended. */
const callPollMs = 1_000;

/**
 * Starts the next step of a message's fallback chain when the message fails, or is not delivered in its time.
 * @param afterMs the time that the message has, from now
 */
export async function fallBackInTime(message: MessageState, afterMs: number): Promise<void> {
  const dueAtMs = Date.now() + afterMs;
  await condition(() => message.isClosed, afterMs);
  if (await fallBack(message, Date.now() >= dueAtMs)) return;
  await sleep(Math.max(1, dueAtMs - Date.now()));
  while (!(await fallBack(message, true))) await sleep(callPollMs);
}

/**
 * Decides whether the next step is sent, and starts its workflow if so.
 * @param isDue the time of the message is over
 * @returns false when it is too early to decide: the time is not over, or a call for the message is in progress
 */
async function fallBack({ messageId, events }: MessageState, isDue: boolean): Promise<boolean> {
  const { next, waits, deliveries } = await local.fallBack(messageId, isDue);
  if (next !== null) {
    // By its name: `sendMessage` imports this file.
    const { type, args } = workflowOf({ ...next, workflowId: workflowIds.message(next.groupId) });
    await startUnlessRunning<SendMessageInput | SendGroupInput>(type, args[0], nextStepStart(next, messageId));
  }
  if (!waits) events.start(deliveries);
  return !waits;
}
