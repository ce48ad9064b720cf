import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { AcceptedMessages } from '../../activities/messages.js';
import { AcceptUpdate } from './accept-update.js';
import { local, opening } from '../activities.js';
import { type AcceptAnswer, type SendGroupInput } from '../contract.js';
import { GroupDriver } from './group-driver.js';
import { handOffOrGiveUp, pausedDelayMs, retryDelayMs } from './hand-off.js';

/** A paused batch signals its pages when it is resumed. Looking again at growing intervals covers a lost signal. */
const firstPauseMs = 60_000;
const longestPauseMs = 3_600_000;

/**
 * Sends a group of messages: single messages that were accepted together, or a page of a batch. Charges the group (a page was charged
 * with its batch), hands it to the providers, waits for the delivery reports, and delivers the events of each step.
 */
export async function sendGroup(input: SendGroupInput): Promise<void> {
  const { groupId, batchId } = input;
  const accept = new AcceptUpdate<AcceptAnswer>();
  const group = new GroupDriver(groupId, batchId);

  const { accepted, refused, deliveries, startInMs, handoffTimeoutMs, reportTimeoutMs } = await begin(input);
  accept.answer({ accepted, refused });
  if (batchId === undefined && accepted.length === 0) return;

  group.listen();
  const dueAtMs = Date.now() + startInMs;
  if (startInMs > 0) {
    group.events.start(deliveries); // a group that is due at once delivers its events together with its hand-off
    await group.pause(startInMs);
  }

  let work = await handOffOrGiveUp(groupId, group.handOff(handoffTimeoutMs));
  let pauseMs = firstPauseMs;
  while (work.queued > 0) {
    group.events.start(work.deliveries);
    if (workflowInfo().continueAsNewSuggested) {
      await group.events.drained();
      await continueAsNew<typeof sendGroup>({ groupId, ...(batchId === undefined ? {} : { batchId }) }); // its state is in the database
    }
    if (work.paused) {
      await group.pause(pausedDelayMs(work, pauseMs));
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    } else if (!work.more) await group.pause(retryDelayMs(work, dueAtMs));
    work = await handOffOrGiveUp(groupId, group.handOff(handoffTimeoutMs));
  }

  group.events.start(work.deliveries);
  await group.awaitReports(reportTimeoutMs);
  await group.events.drained();
}

function begin({ groupId, batchId, due }: SendGroupInput): Promise<AcceptedMessages> | AcceptedMessages {
  if (batchId === undefined) return local.acceptMessages(groupId);
  return due === undefined ? opening.openPage(groupId) : { accepted: [], deliveries: 0, startInMs: 0, ...due };
}
