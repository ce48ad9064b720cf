import { condition, continueAsNew, defineUpdate, setHandler, workflowInfo } from '@temporalio/workflow';
import { local, localForBatch } from './activities.js';
import { type AcceptBatchAnswer, acceptUpdate, type SendBatchInput, workflowIds } from './contract.js';
import { startUnlessRunning } from './other-workflows.js';
import { sendMessages } from './send-messages.js';

const accept = defineUpdate<AcceptBatchAnswer>(acceptUpdate);
/** Pages whose ids are read, and whose workflows are started, in one step. */
const pagesAtOnce = 50;

/**
 * Charges a batch and starts its pages. Their activities wait for the slots of the bulk queue, which takes workspaces in turn;
 * pausing, resuming and cancelling are decided in the database and seen by each page before every round of hand-offs.
 */
export async function sendBatch({ batchId, nextPage }: SendBatchInput): Promise<void> {
  let answer: AcceptBatchAnswer | undefined = nextPage === undefined ? undefined : { accepted: true };
  setHandler(accept, async () => {
    await condition(() => answer !== undefined);
    return answer as AcceptBatchAnswer;
  });
  answer ??= await localForBatch.acceptBatch(batchId);
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
  await startUnlessRunning(sendMessages, input, {
    workflowId: workflowIds.page(groupId),
    staticSummary: `page ${page} of batch ${batchId}`,
    ...(typedSearchAttributes === undefined ? {} : { typedSearchAttributes }),
    ...(priority === undefined ? {} : { priority }),
  });
}
