import { condition, continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { GroupWork } from '../../models/operations/messages/count-group-work.js';
import { AcceptUpdate } from './accept-update.js';
import { dispatching, local } from '../activities.js';
import { type AcceptAnswer, queues, type SendMessageInput } from '../contract.js';
import { queryMissingReports } from './query-missing-reports.js';
import { fallBackInTime } from './fall-back.js';
import { handOffOrGiveUp, retryDelayMs } from './hand-off.js';
import { MessageState } from './message-state.js';

/**
 * Sends one message: charges it, hands it to a provider, waits for the delivery report, and delivers the events of each step.
 * A message that cannot be paid for ends here and leaves nothing behind.
 */
export async function sendMessage({ messageId, fallbackAfterMs }: SendMessageInput): Promise<void> {
  const accept = new AcceptUpdate<AcceptAnswer>();
  const message = new MessageState(messageId);

  const { accepted, refused, deliveries, startInMs, handoffTimeoutMs, reportTimeoutMs } = await local.acceptMessages(messageId);
  accept.answer({ accepted, refused });
  if (accepted.length === 0) return;

  message.listen();
  message.events.start(deliveries);
  const dueAtMs = Date.now() + startInMs;
  const fallback = fallbackAfterMs === undefined ? undefined : fallBackInTime(message, startInMs + fallbackAfterMs);
  if (startInMs > 0) await condition(() => message.isCancelled, startInMs);

  let work = await handOff(message, handoffTimeoutMs);
  while (work.queued > 0) {
    // Not with a fallback: its timer would start again, too.
    if (fallback === undefined && workflowInfo().continueAsNewSuggested) {
      await message.events.drained();
      await continueAsNew<typeof sendMessage>({ messageId }); // the new run finds its state in the database
    }
    if (!work.more) await message.pause(retryDelayMs(work, dueAtMs));
    work = await handOff(message, handoffTimeoutMs);
  }

  await awaitReports(message, reportTimeoutMs, work);
  message.isClosed = true;
  await fallback;
  await message.events.drained();
}

/** Calls the provider until it has taken or refused the message, or the time for the hand-off is over. */
async function handOff(message: MessageState, timeoutMs: number) {
  const { messageId } = message;
  message.isCancelled = false;
  const dispatch = dispatching(queues.messages, timeoutMs).dispatchMessages(messageId);
  const work = await message.applyReportsDuring(handOffOrGiveUp(messageId, dispatch));
  message.events.start(work.deliveries);
  return work;
}

/** Applies reports until the outcome of the message is final. Queries the provider when no report arrives in time. */
async function awaitReports(message: MessageState, timeoutMs: number, { open, reports }: GroupWork): Promise<void> {
  message.hasReports ||= reports || open === 0; // the step that applies reports also closes a message that nothing is awaited for
  for (;;) {
    const isInTime = message.hasReports || (await condition(() => message.hasReports, timeoutMs));
    if (!isInTime) await queryMissingReports(message.messageId, queues.messages);
    if ((await message.applyReports()).open === 0) return;
    if (!isInTime && (await local.giveUpOnReports(message.messageId)).open === 0) return;
    message.hasReports ||= !isInTime; // a report arrived while the workflow gave up
  }
}
