import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import { AcceptUpdate } from './accept-update.js';
import { local, localForBatch } from './activities.js';
import { type AcceptBatchAnswer, type SendBatchInput, workflowIds } from './contract.js';
import { startUnlessRunning } from './other-workflows.js';
import { sendGroup } from './send-group.js';

/** Pages whose ids are read, and whose workflows are started, in one step. */
const pagesAtOnce = 50;

/**
 * Charges a batch and starts its pages. Their activities wait for the slots of the bulk queue, which takes workspaces in turn;
 * pausing, resuming and cancelling are decided in the database and seen by each page before every round of hand-offs.
 */
export async function sendBatch({ batchId, nextPage }: SendBatchInput): Promise<void> {
  const accept = new AcceptUpdate<AcceptBatchAnswer>();
  const answer = nextPage === undefined ? await localForBatch.acceptBatch(batchId) : { accepted: true };
  accept.answer(answer);
  if (!answer.accepted) return;
  for (let page = nextPage ?? 0; ; page += pagesAtOnce) {
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof sendBatch>({ batchId, nextPage: page });
    const groupIds = await local.batchPages(batchId, page, pagesAtOnce);
    await Promise.all(groupIds.map((groupId, index) => startPage(batchId, groupId, page + index)));
    if (groupIds.length < pagesAtOnce) return;
  }
}

/** Does nothing where the watcher was faster. */
async function startPage(batchId: string, groupId: string, page: number): Promise<void> {
  const { typedSearchAttributes, priority } = workflowInfo();
  const input = { groupId, batchId };
  await startUnlessRunning(sendGroup, input, {
    workflowId: workflowIds.page(groupId),
    staticSummary: `page ${page} of batch ${batchId}`,
    ...(typedSearchAttributes === undefined ? {} : { typedSearchAttributes }),
    ...(priority === undefined ? {} : { priority }),
  });
}
