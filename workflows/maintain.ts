import { applyLateReports } from './apply-late-reports.js';
import { wakeCarrier } from './carry-webhook.js';
import { background } from './activities.js';
import { fallBack } from './fall-back.js';
import { reportsSignal, workflowIds } from './contract.js';
import { signalIfRunning, startUnlessRunning } from './other-workflows.js';
import { replayDeliveries } from './replay-deliveries.js';
import { sendMail } from './send-mail.js';
import { sendMessages } from './send-messages.js';

/**
 * The watcher, run by a schedule. A crash can fall between a commit and the call that should follow it; everything that
 * should be driven and is not is found in the database here and started again. Starting what runs already does nothing.
 */
export async function maintain(): Promise<void> {
  const { groups, wakes, webhookIds, mailIds, replays, fallbacks } = await background.findStuck();
  for (const { groupId, workflowId, batchId, fallbackAfterMs } of groups) {
    const input = { groupId, ...(batchId === null ? {} : { batchId }), ...(fallbackAfterMs === null ? {} : { fallbackAfterMs }) };
    await startUnlessRunning(sendMessages, input, { workflowId });
  }
  for (const { groupId, workflowId, late } of wakes) {
    if (!late && (await signalIfRunning(workflowId, reportsSignal))) continue;
    const lateId = workflowIds.lateReports(groupId);
    await startUnlessRunning(applyLateReports, { groupId }, { workflowId: lateId });
  }
  for (const groupId of fallbacks) await fallBack(groupId, true, sendMessages);
  for (const webhookId of webhookIds) await wakeCarrier(webhookId);
  for (const mailId of mailIds) {
    await startUnlessRunning(sendMail, { mailId }, { workflowId: workflowIds.mail(mailId) });
  }
  for (const replay of replays) {
    const workflowId = workflowIds.replay(replay.replayId);
    await startUnlessRunning(replayDeliveries, replay, { workflowId });
  }
  await background.forgetOld();
  await background.checkLedger();
}
