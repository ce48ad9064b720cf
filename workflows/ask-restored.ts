import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import { background } from './activities.js';
import { applyLateReports } from './messages/apply-late-reports.js';
import { type AskRestoredInput, reportsSignal, workflowIds } from './contract.js';
import { signalIfRunning, startUnlessRunning } from './other-workflows.js';

/**
 * Queries the providers after a restore for messages whose reports may be lost, and wakes the workflows that apply the answers.
 * The progress is stored in the database.
 */
export async function askRestored({ recoveryId }: AskRestoredInput): Promise<void> {
  while (!workflowInfo().continueAsNewSuggested) {
    const { wakes, more } = await background.askRestored(recoveryId);
    for (const { groupId, workflowId, late } of wakes) {
      if (!late && (await signalIfRunning(workflowId, reportsSignal))) continue;
      await startUnlessRunning(applyLateReports, { groupId }, { workflowId: workflowIds.lateReports(groupId) });
    }
    if (!more) return;
  }
  await continueAsNew<typeof askRestored>({ recoveryId });
}
