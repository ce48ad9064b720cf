/** Terminates all open workflows, because their state does not match the restored database. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { workflowTypes } from '../../workflows/contract.js';

const atOnce = 50;
const types = Object.values(workflowTypes)
  .map((type) => `'${type}'`)
  .join(', ');
const open = `ExecutionStatus = 'Running' AND WorkflowType IN (${types})`;
/** The list of open workflows lags by about a second. */
const listLagMs = 1_000;
/** How often in a row the list must be empty. */
const emptyListsNeeded = 2;
/** How often the list may contain only terminated workflows before the recovery fails. */
const staleListsMax = 60;

/** How many workflows the list of open workflows contains. */
export const openWorkflows = async (client: Client): Promise<number> => (await client.workflow.count(open)).count;

/**
 * Terminates open workflows until the list is empty but for those of the watcher. These are terminated too, but their schedule starts new ones.
 * @returns how many were terminated
 * @throws Error when the list keeps showing terminated workflows
 */
export async function endWorkflows(client: Client, reason: string): Promise<number> {
  let terminated = 0;
  let stale = 0;
  for (let empty = 0; empty < emptyListsNeeded; ) {
    const look = await endListed(client, reason);
    terminated += look.terminated;
    empty = look.listed === 0 ? empty + 1 : 0;
    stale = look.listed > 0 && look.terminated === 0 ? stale + 1 : 0;
    if (stale > staleListsMax) throw new Error(`Temporal still lists ${look.listed} open workflows that were terminated`);
    if (empty < emptyListsNeeded) await sleep(listLagMs);
  }
  return terminated;
}

/** @returns how many workflows were listed, not counting those of the watcher, and how many were terminated, including those */
async function endListed(client: Client, reason: string): Promise<{ listed: number; terminated: number }> {
  const look = { listed: 0, terminated: 0 };
  const inProgress = new Set<Promise<unknown>>();
  const end = async (workflowId: string): Promise<void> => {
    try {
      await client.workflow.getHandle(workflowId).terminate(reason);
      look.terminated += 1;
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error; // the workflow closed after it was listed
    }
  };
  for await (const { workflowId, type } of client.workflow.list({ query: open, pageSize: 1_000 })) {
    if (type !== workflowTypes.runWatcher) look.listed += 1;
    const ending: Promise<unknown> = end(workflowId).then(() => inProgress.delete(ending));
    ending.catch(() => undefined); // it stays in the set, and the error is thrown where that is awaited
    inProgress.add(ending);
    if (inProgress.size >= atOnce) await Promise.race(inProgress);
  }
  await Promise.all(inProgress);
  return look;
}
