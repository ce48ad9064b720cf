/** The clients of a run. They execute the plan at its times, whatever the state of the service. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallRecord } from '../client-records.js';
import type { ApiAnswer, ApiCall, ApiClient } from './api-client.js';
import { type Act, type BulkAct, bulkText, type LoadPlan, type ReplayAct, type SendAct } from './plan.js';
import type { Workspace } from './workspace.js';

export interface LoadDeps {
  client: ApiClient;
  workspaces: readonly Workspace[];
  /** Ends the repetition of calls. */
  closing: AbortSignal;
}

/** Executes the plan. @returns when the last answer has come, or no call is repeated any more */
export async function runLoad(plan: LoadPlan, deps: LoadDeps): Promise<void> {
  const startedAt = performance.now();
  const due = plan.acts.map(async (act, number) => {
    await pause(act.atMs - (performance.now() - startedAt), deps);
    await perform(act, number, deps);
  });
  await Promise.all(due);
}

const pause = (ms: number, { closing }: Pick<LoadDeps, 'closing'>) =>
  sleep(Math.max(0, ms), undefined, { signal: closing }).catch(() => undefined);

function perform(act: Act, number: number, deps: LoadDeps): Promise<void> {
  switch (act.kind) {
    case 'send':
      return send(act, number, deps);
    case 'bulk':
      return bulk(act, number, deps);
    case 'replay':
      return replay(act, deps);
  }
}

const workspaceOf = ({ workspaces }: LoadDeps, index: number): Workspace => workspaces[index] as Workspace;

const keyed = ({ apiKey }: Workspace, key: string | null): Record<string, string> => ({
  'X-API-Key': apiKey,
  ...(key === null ? {} : { 'Idempotency-Key': key }),
});

/** With a key, the call is repeated until it is answered. */
const make = (call: ApiCall, key: string | null, { client, closing }: LoadDeps): Promise<ApiAnswer> =>
  key === null ? client.call(call) : client.callUntilAnswered(call, closing);

function sendCall(act: SendAct, workspace: Workspace, key: string | null): ApiCall {
  const now = Date.now();
  const { channel, item, text, fallback } = act;
  const scheduledAt = act.scheduledInMs === undefined ? undefined : Math.round(now + act.scheduledInMs);
  const expiresAt = act.expiresInMs === undefined ? undefined : Math.round(now + act.expiresInMs);
  return {
    method: 'POST',
    path: '/messages/send',
    headers: keyed(workspace, key),
    body: {
      to: item.to,
      channel,
      content: { text, ...(channel === 'email' ? { subject: 'Your order' } : {}) },
      ...(fallback === undefined ? {} : { fallback }),
      ...timesOf(scheduledAt, expiresAt),
    },
    record: {
      operation: 'send',
      workspace: workspace.id,
      key,
      channel,
      items: [item],
      ...(fallback === undefined ? {} : { fallback }),
      ...(scheduledAt === undefined ? {} : { scheduledAt }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    },
  };
}

async function send(act: SendAct, number: number, deps: LoadDeps): Promise<void> {
  const workspace = workspaceOf(deps, act.workspace);
  const key = act.hasKey ? `send-${number}` : null;
  const call = sendCall(act, workspace, key);
  const answer = await make(call, key, deps);
  if (answer.status !== 201) return;
  const again = async () => {
    if (act.repeatAfterMs === undefined) return;
    await pause(act.repeatAfterMs, deps);
    await make(call, key, deps);
  };
  const cancel = async () => {
    if (act.cancelAfterMs === undefined) return;
    await pause(act.cancelAfterMs, deps);
    await change(deps, workspace, { operation: 'cancel', target: answer.json.data.message.id });
  };
  await Promise.all([again(), cancel()]);
}

const timesOf = (scheduledAt?: number, expiresAt?: number) => ({
  ...(scheduledAt === undefined ? {} : { scheduled_at: new Date(scheduledAt).toISOString() }),
  ...(expiresAt === undefined ? {} : { expires_at: new Date(expiresAt).toISOString() }),
});

async function bulk(act: BulkAct, number: number, deps: LoadDeps): Promise<void> {
  const workspace = workspaceOf(deps, act.workspace);
  const key = act.hasKey ? `bulk-${number}` : null;
  const { channel, items, rate } = act;
  const scheduledAt = act.scheduledInMs === undefined ? undefined : Math.round(Date.now() + act.scheduledInMs);
  const call: ApiCall = {
    method: 'POST',
    path: '/messages/bulk',
    headers: keyed(workspace, key),
    body: {
      channel,
      content: { text: bulkText('{{token}}'), ...(channel === 'email' ? { subject: 'Your order' } : {}) },
      recipients: items.map(({ to, token }) => ({ to, variables: { token } })),
      ...(rate === undefined ? {} : { rate }),
      ...timesOf(scheduledAt),
    },
    record: {
      operation: 'bulk',
      workspace: workspace.id,
      key,
      channel,
      items,
      ...(rate === undefined ? {} : { rate }),
      ...(scheduledAt === undefined ? {} : { scheduledAt }),
    },
  };
  const answer = await make(call, key, deps);
  if (answer.status !== 201) return;
  for (const { afterMs, change: operation } of act.steps) {
    await pause(afterMs, deps);
    await change(deps, workspace, { operation, target: answer.json.data.batch.id });
  }
}

const paths = {
  cancel: (id: string) => `/messages/${id}/cancel`,
  'cancel-batch': (id: string) => `/messages/bulk/${id}/cancel`,
  pause: (id: string) => `/messages/bulk/${id}/pause`,
  resume: (id: string) => `/messages/bulk/${id}/resume`,
  'get-batch': (id: string) => `/messages/bulk/${id}`,
} as const;

/** Changes something that exists, and repeats the call until it is answered. A repeated change has no further effect. */
async function change(deps: LoadDeps, workspace: Workspace, { operation, target }: { operation: keyof typeof paths; target: string }) {
  const method = operation === 'get-batch' ? 'GET' : 'POST';
  const record = { operation, workspace: workspace.id, key: null, target };
  await deps.client.callUntilAnswered({ method, path: paths[operation](target), headers: keyed(workspace, null), record }, deps.closing);
}

/** How far back a replay goes: a short time, or to the beginning if the webhook was inactive. */
const replayMs = { usual: 15_000, all: 3_600_000 };

/** Sends the recent events of one webhook again; or deactivates it for a while, and then sends what was held. */
async function replay(act: ReplayAct, deps: LoadDeps): Promise<void> {
  const workspace = workspaceOf(deps, act.workspace);
  const target = workspace.webhooks[act.webhook] ?? '';
  const call = (
    operation: CallRecord['operation'],
    method: ApiCall['method'],
    path: string,
    body: object,
    noted: CallRecord['change'] = {},
  ) =>
    deps.client.callUntilAnswered(
      {
        method,
        path,
        body,
        headers: keyed(workspace, null),
        record: { operation, workspace: workspace.id, key: null, target, change: noted },
      },
      deps.closing,
    );
  const path = `/webhooks/${target}`;
  if (act.pauseMs !== undefined) {
    await call('update-webhook', 'PUT', path, { is_active: false }, { is_active: false });
    await pause(act.pauseMs, deps);
    await call('update-webhook', 'PUT', path, { is_active: true }, { is_active: true });
  }
  const since = Date.now() - (act.pauseMs === undefined ? replayMs.usual : replayMs.all);
  const status = act.pauseMs === undefined ? { status: 'succeeded' } : {};
  await call('replay', 'POST', `${path}/replay`, { since: new Date(since).toISOString(), ...status }, { since });
}
