/** Replays and resends of the load. */
import type { CallRecord } from '../client-records.js';
import type { ReplayAct, ResendAct } from './acts.js';
import type { ApiCall } from './api-client.js';
import { keyed, type LoadDeps, pause, read, workspaceOf } from './calls.js';

/** How far back a replay goes: a short time, or to the beginning if the webhook was inactive. */
const replayMs = { usual: 15_000, all: 3_600_000 };

/** Sends the recent events of one webhook again; or deactivates it for a while, and then sends what was held. */
export async function replay(act: ReplayAct, deps: LoadDeps): Promise<void> {
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

const newest = 50;

/** Sends one delivery of a webhook again, whatever its status. */
export async function resend(act: ResendAct, deps: LoadDeps): Promise<void> {
  const workspace = workspaceOf(deps, act.workspace);
  const target = workspace.webhooks[act.webhook] ?? '';
  const deliveries = await read(deps, workspace, `/webhooks/${target}/deliveries?limit=${newest}`, 'deliveries');
  const delivery = deliveries[Math.floor(act.place * deliveries.length)];
  if (delivery === undefined) return;
  const path = `/webhooks/${target}/deliveries/${delivery.id}/resend`;
  const record = { operation: 'resend', workspace: workspace.id, key: null, target } as const;
  await deps.client.callUntilAnswered({ method: 'POST', path, headers: keyed(workspace, null), record }, deps.closing);
}
