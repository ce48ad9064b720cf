/** Ends every open workflow of ours: each stands where the restored database does not. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { workflowTypes } from '../../workflows/contract.js';

const atOnce = 50;
const types = Object.values(workflowTypes)
  .map((type) => `'${type}'`)
  .join(', ');
const open = `ExecutionStatus = 'Running' AND WorkflowType IN (${types})`;
/** The list of workflows follows what happens by about a second. */
const listLagMs = 1_000;
/** So many looks in a row must find nothing. */
const emptyLooks = 2;
/** Looks that find only what was ended before. */
const staleLooksMax = 60;

/** How many workflows of ours are open, as far as the list knows. */
export const openWorkflows = async (client: Client): Promise<number> => (await client.workflow.count(open)).count;

/**
 * Terminates open workflows until the list has none. The watcher is started by its schedule at any time and holds nothing: a new one of it is
 * not waited for.
 * @returns how many were terminated
 * @throws Error when the list goes on showing workflows that were ended
 */
export async function endWorkflows(client: Client, reason: string): Promise<number> {
  let terminated = 0;
  let stale = 0;
  for (let empty = 0; empty < emptyLooks; ) {
    const look = await endListed(client, reason);
    terminated += look.terminated;
    empty = look.listed === 0 ? empty + 1 : 0;
    stale = look.listed > 0 && look.terminated === 0 ? stale + 1 : 0;
    if (stale > staleLooksMax) throw new Error(`Temporal still lists ${look.listed} open workflows that were terminated`);
    if (empty < emptyLooks) await sleep(listLagMs);
  }
  return terminated;
}

/** @returns how many were listed, without the watcher, and how many of all were still open */
async function endListed(client: Client, reason: string): Promise<{ listed: number; terminated: number }> {
  const look = { listed: 0, terminated: 0 };
  const underWay = new Set<Promise<void>>();
  const end = async (workflowId: string): Promise<void> => {
    try {
      await client.workflow.getHandle(workflowId).terminate(reason);
      look.terminated += 1;
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error; // it was closed since it was listed
    }
  };
  for await (const { workflowId, type } of client.workflow.list({ query: open, pageSize: 1_000 })) {
    if (type !== workflowTypes.runWatcher) look.listed += 1;
    const ending = end(workflowId).finally(() => underWay.delete(ending));
    ending.catch(() => undefined); // told to whoever waits for it
    underWay.add(ending);
    if (underWay.size >= atOnce) await Promise.race(underWay);
  }
  await Promise.all(underWay);
  return look;
}
