/** The API's signals to workflows of messages and pages. */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { Wake } from '../../models/operations/reports/record-reports.js';
import { batchChangedSignal, reportsSignal, workflowIds, workflowTypes } from '../../workflows/contract.js';
import { lateReportsSignal } from '../../workflows/starts.js';

/** Signals the page workflows. Pages that have not started or have ended are skipped. */
export async function notifyPages(client: Client, ids: readonly string[]): Promise<void> {
  const signalled = await Promise.allSettled(ids.map((id) => client.workflow.getHandle(id).signal(batchChangedSignal)));
  const failed = signalled.find((outcome) => outcome.status === 'rejected' && !(outcome.reason instanceof WorkflowNotFoundError));
  if (failed?.status === 'rejected') throw failed.reason;
}

/** Signals the workflow of a group that reports were stored. If it has closed, another workflow applies them. */
export async function wakeGroup(client: Client, { groupId, workflowId, late }: Wake): Promise<void> {
  if (!late) {
    try {
      return await client.workflow.getHandle(workflowId).signal(reportsSignal);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error; // otherwise the workflow has just closed
    }
  }
  await client.workflow.signalWithStart(workflowTypes.applyLateReports, lateReportsSignal(groupId));
}

/** Starts a run of the watcher, after the current one if there is one. */
export const triggerWatcher = (client: Client): Promise<void> => client.schedule.getHandle(workflowIds.watcher).trigger('BUFFER_ONE');
