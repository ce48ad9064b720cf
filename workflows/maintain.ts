import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { getExternalWorkflowHandle, ParentClosePolicy, startChild } from '@temporalio/workflow';
import { applyLateReports } from './apply-late-reports.js';
import { wakeCarrier } from './carry-webhook.js';
import { background } from './activities.js';
import { reportsSignal, workflowIds } from './contract.js';
import { replayDeliveries } from './replay-deliveries.js';
import { sendMail } from './send-mail.js';
import { sendMessages } from './send-messages.js';

/**
 * The watcher, run by a schedule. A crash can fall between a commit and the call that should follow it; everything that
 * should be driven and is not is found in the database here and started again. Starting what runs already does nothing.
 */
export async function maintain(): Promise<void> {
  const { groups, wakes, webhookIds, mailIds, replays } = await background.findStuck();
  for (const { groupId, workflowId, batchId } of groups) {
    const input = { groupId, ...(batchId === null ? {} : { batchId }) };
    await unlessRunning(() => startChild(sendMessages, { workflowId, args: [input], ...abandoned }));
  }
  for (const { groupId, workflowId, late } of wakes) {
    if (!late && (await signalled(workflowId))) continue;
    const lateId = workflowIds.lateReports(groupId);
    await unlessRunning(() => startChild(applyLateReports, { workflowId: lateId, args: [{ groupId }], ...abandoned }));
  }
  for (const webhookId of webhookIds) await wakeCarrier(webhookId);
  for (const mailId of mailIds) {
    await unlessRunning(() => startChild(sendMail, { workflowId: workflowIds.mail(mailId), args: [{ mailId }], ...abandoned }));
  }
  for (const replay of replays) {
    const workflowId = workflowIds.replay(replay.replayId);
    await unlessRunning(() => startChild(replayDeliveries, { workflowId, args: [replay], ...abandoned }));
  }
  await background.forgetOld();
}

const abandoned = { parentClosePolicy: ParentClosePolicy.ABANDON };

async function unlessRunning(start: () => Promise<unknown>): Promise<void> {
  try {
    await start();
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** False when the workflow is gone. */
async function signalled(workflowId: string): Promise<boolean> {
  try {
    await getExternalWorkflowHandle(workflowId).signal(reportsSignal);
    return true;
  } catch {
    return false;
  }
}
