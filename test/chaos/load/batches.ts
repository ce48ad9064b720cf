/** A batch of the load, and what happens to it. */
import type { ApiCall } from './api-client.js';
import type { BulkAct, BulkStep } from './acts.js';
import { change, keyed, type LoadDeps, make, pause, read, suppress, timesOf, workspaceOf } from './calls.js';
import { bulkText } from './plan.js';
import type { Workspace } from './workspace.js';

export async function bulk(act: BulkAct, number: number, deps: LoadDeps): Promise<void> {
  const workspace = workspaceOf(deps, act.workspace);
  const key = act.hasKey ? `bulk-${number}` : null;
  const answer = await make(bulkCall(act, workspace, key), key, deps);
  if (answer.status !== 201) return;
  for (const step of act.steps) {
    await pause(step.afterMs, deps);
    await take(step, { act, workspace, id: answer.json.data.batch.id }, deps);
  }
}

function bulkCall(act: BulkAct, workspace: Workspace, key: string | null): ApiCall {
  const { channel, items, rate } = act;
  const times = timesOf(act);
  return {
    method: 'POST',
    path: '/messages/bulk',
    headers: keyed(workspace, key),
    body: {
      channel,
      content: { text: bulkText('{{token}}'), ...(channel === 'email' ? { subject: 'Your order' } : {}) },
      recipients: items.map(({ to, token }) => ({ to, variables: { token } })),
      ...(rate === undefined ? {} : { rate }),
      ...times.sent,
    },
    record: {
      operation: 'bulk',
      workspace: workspace.id,
      key,
      channel,
      items,
      ...(rate === undefined ? {} : { rate }),
      ...times.recorded,
    },
  };
}

interface Accepted {
  act: BulkAct;
  workspace: Workspace;
  /** Of the batch. */
  id: string;
}

/** The last messages of a batch are handed off last, so these can be cancelled, and their recipients suppressed. */
async function take(step: BulkStep, { act, workspace, id }: Accepted, deps: LoadDeps): Promise<void> {
  if (step.change === 'cancel-some') {
    const queued = await read(deps, workspace, `/messages?batch_id=${id}&status=queued&limit=${step.count}`, 'messages');
    await Promise.all(queued.map((message) => change(deps, workspace, { operation: 'cancel', target: message.id })));
  } else if (step.change === 'suppress-some') {
    const last = act.items.slice(-step.count);
    await Promise.all(last.map(({ to }) => suppress(deps, workspace, { channel: act.channel, to })));
  } else await change(deps, workspace, { operation: step.change, target: id });
}
