/** The clients of a run. They execute the plan at its times, whatever the state of the service. */
import type { Act, SendAct } from './acts.js';
import type { ApiCall } from './api-client.js';
import { bulk } from './batches.js';
import { accountOf, change, erase, keyed, type LoadDeps, make, pause, stop, suppress, timesOf, workspaceOf } from './calls.js';
import type { LoadPlan } from './plan.js';
import { replay, resend } from './webhooks.js';
import type { Workspace } from './workspace.js';

/** Executes the plan. @returns when the last answer has come, or no call is repeated any more */
export async function runLoad(plan: LoadPlan, deps: LoadDeps): Promise<void> {
  const startedAt = performance.now();
  const due = plan.acts.map(async (act, number) => {
    await pause(act.atMs - (performance.now() - startedAt), deps);
    await perform(act, number, deps);
  });
  await Promise.all(due);
}

function perform(act: Act, number: number, deps: LoadDeps): Promise<void> {
  switch (act.kind) {
    case 'send':
      return send(act, number, deps);
    case 'bulk':
      return bulk(act, number, deps);
    case 'replay':
      return replay(act, deps);
    case 'resend':
      return resend(act, deps);
  }
}

function sendCall(act: SendAct, workspace: Workspace, key: string | null): ApiCall {
  const { channel, item, text, fallback } = act;
  const times = timesOf(act);
  return {
    method: 'POST',
    path: '/messages/send',
    headers: keyed(workspace, key),
    body: {
      to: item.to,
      channel,
      content: { text, ...(channel === 'email' ? { subject: 'Your order' } : {}) },
      ...(fallback === undefined ? {} : { fallback }),
      ...times.sent,
    },
    record: {
      operation: 'send',
      workspace: workspace.id,
      key,
      channel,
      items: [item],
      ...(fallback === undefined ? {} : { fallback }),
      ...times.recorded,
    },
  };
}

/** Sends a further message to the recipient of a message, who writes STOP at about the same time. */
async function sendBesideStop({ kind, atMs, workspace: index, channel, stop: further }: SendAct, key: string, id: string, deps: LoadDeps) {
  if (further === undefined) return;
  const workspace = workspaceOf(deps, index);
  // Before, the workspace has not written to the recipient.
  const account = await accountOf(deps, workspace, id);
  if (account === null) return;
  const call = () => sendCall({ kind, atMs, workspace: index, channel, ...further, hasKey: true }, workspace, key);
  await Promise.all([
    pause(further.afterMs, deps).then(() => make(call(), key, deps)),
    pause(further.stopAfterMs, deps).then(() => stop(deps, workspace, { account, to: further.item.to })),
  ]);
}

async function send(act: SendAct, number: number, deps: LoadDeps): Promise<void> {
  const workspace = workspaceOf(deps, act.workspace);
  const key = act.hasKey ? `send-${number}` : null;
  const call = sendCall(act, workspace, key);
  const answer = await make(call, key, deps);
  if (answer.status !== 201) return;
  const { id } = answer.json.data.message;
  const after = async (ms: number | undefined, act: () => Promise<unknown>) => {
    if (ms === undefined) return;
    await pause(ms, deps);
    await act();
  };
  await Promise.all([
    after(act.repeatAfterMs, () => make(call, key, deps)),
    after(act.cancelAfterMs, () => change(deps, workspace, { operation: 'cancel', target: id })),
    after(act.suppressAfterMs, () => suppress(deps, workspace, { channel: act.channel, to: act.item.to })),
    after(act.eraseAfterMs, () => erase(deps, workspace, id, act.item.to)),
    sendBesideStop(act, `after-${number}`, id, deps),
  ]);
}
