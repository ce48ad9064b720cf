import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import { AcceptUpdate } from './accept-update.js';
import { local, localForBatch } from '../activities.js';
import { type AcceptBatchAnswer, type SendBatchInput, type SendGroupInput, workflowIds } from '../contract.js';
import { inheritedAttributes, startUnlessRunning } from '../other-workflows.js';
import { bulkPriority } from '../starts.js';
import { sendGroup } from './send-group.js';

/** Number of pages that one step reads and starts. */
const pagesAtOnce = 50;

/**
 * Charges a batch and starts its pages. The pages wait for slots of the bulk queue, which serves workspaces in turn. Pause, resume and cancel
 * are stored in the database, and each page reads them before every round of hand-offs.
 */
export async function sendBatch({ batchId, nextPage, due: dueBefore }: SendBatchInput): Promise<void> {
  const accept = new AcceptUpdate<AcceptBatchAnswer>();
  const { due, ...answer } = nextPage === undefined ? await localForBatch.acceptBatch(batchId) : { accepted: true, due: dueBefore };
  accept.answer(answer);
  if (!answer.accepted) return;
  for (let page = nextPage ?? 0; ; page += pagesAtOnce) {
    if (workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof sendBatch>({ batchId, nextPage: page, ...(due === undefined ? {} : { due }) });
    const groupIds = await local.batchPages(batchId, page, pagesAtOnce);
    await Promise.all(
      groupIds.map((groupId, index) => startPage({ groupId, batchId, ...(due === undefined ? {} : { due }) }, page + index)),
    );
    if (groupIds.length < pagesAtOnce) return;
  }
}

/** Starts the workflow of a page, unless the watcher has started it. */
async function startPage(input: SendGroupInput, page: number): Promise<void> {
  await startUnlessRunning(sendGroup, input, {
    workflowId: workflowIds.page(input.groupId),
    staticSummary: `page ${page} of batch ${input.batchId}`,
    ...inheritedAttributes(),
    priority: bulkPriority(workflowInfo().priority?.fairnessKey),
  });
}
