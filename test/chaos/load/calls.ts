/** Calls of the clients that several acts make. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel } from '../../../models/channels.js';
import { incoming, twilioAccount } from '../../support/carriers/twilio.js';
import type { ApiAnswer, ApiCall, ApiClient } from './api-client.js';
import type { Workspace } from './workspace.js';

export interface LoadDeps {
  client: ApiClient;
  workspaces: readonly Workspace[];
  /** The address of the service that carriers sign. */
  publicUrl: string;
  /** Ends the repetition of calls. */
  closing: AbortSignal;
}

export const pause = (ms: number, { closing }: Pick<LoadDeps, 'closing'>) =>
  sleep(Math.max(0, ms), undefined, { signal: closing }).catch(() => undefined);

export const workspaceOf = ({ workspaces }: LoadDeps, index: number): Workspace => workspaces[index] as Workspace;

export const keyed = ({ apiKey }: Workspace, key: string | null): Record<string, string> => ({
  'X-API-Key': apiKey,
  ...(key === null ? {} : { 'Idempotency-Key': key }),
});

/** With a key, the call is repeated until it is answered. */
export const make = (call: ApiCall, key: string | null, { client, closing }: LoadDeps): Promise<ApiAnswer> =>
  key === null ? client.call(call) : client.callUntilAnswered(call, closing);

/** The times of an act, counted from now: `recorded` in milliseconds since 1970, and `sent` as fields of the request. */
export function timesOf({ scheduledInMs, expiresInMs }: { scheduledInMs?: number; expiresInMs?: number }) {
  const now = Date.now();
  const recorded = {
    ...(scheduledInMs === undefined ? {} : { scheduledAt: Math.round(now + scheduledInMs) }),
    ...(expiresInMs === undefined ? {} : { expiresAt: Math.round(now + expiresInMs) }),
  };
  const { scheduledAt, expiresAt } = recorded;
  const sent = {
    ...(scheduledAt === undefined ? {} : { scheduled_at: new Date(scheduledAt).toISOString() }),
    ...(expiresAt === undefined ? {} : { expires_at: new Date(expiresAt).toISOString() }),
  };
  return { recorded, sent };
}

const paths = {
  cancel: (id: string) => `/messages/${id}/cancel`,
  'cancel-batch': (id: string) => `/messages/bulk/${id}/cancel`,
  pause: (id: string) => `/messages/bulk/${id}/pause`,
  resume: (id: string) => `/messages/bulk/${id}/resume`,
  'get-batch': (id: string) => `/messages/bulk/${id}`,
} as const;

/** Changes something that exists, and repeats the call until it is answered. A repeated change has no further effect. */
export async function change(
  deps: LoadDeps,
  workspace: Workspace,
  { operation, target }: { operation: keyof typeof paths; target: string },
) {
  const method = operation === 'get-batch' ? 'GET' : 'POST';
  const record = { operation, workspace: workspace.id, key: null, target };
  await deps.client.callUntilAnswered({ method, path: paths[operation](target), headers: keyed(workspace, null), record }, deps.closing);
}

interface Recipient {
  channel: Channel;
  to: string;
}

/** Puts a recipient on the suppression list, for ever. */
export async function suppress({ client, closing }: LoadDeps, workspace: Workspace, { channel, to }: Recipient): Promise<void> {
  const record = { operation: 'suppress', workspace: workspace.id, key: null, channel, to } as const;
  const body = { channel, recipient: to };
  await client.callUntilAnswered({ method: 'POST', path: '/suppressions', body, headers: keyed(workspace, null), record }, closing);
}

/** Passes on the STOP of a recipient to the account that it came to. A repetition is the same callback. */
export async function stop(
  { client, closing, publicUrl }: LoadDeps,
  workspace: Workspace,
  { account, to }: { account: string; to: string },
): Promise<void> {
  const path = `/callbacks/${account}`;
  const record = { operation: 'stop', workspace: workspace.id, key: null, channel: 'sms', to } as const;
  const request = incoming(publicUrl + path, { From: to, To: twilioAccount.from, Body: 'STOP' });
  await client.callUntilAnswered({ method: 'POST', base: '', path, ...request, record }, closing);
}

const looks = { everyMs: 250, max: 120 };

/** The account that took the message; null if none did in time. */
export async function accountOf(deps: LoadDeps, workspace: Workspace, id: string): Promise<string | null> {
  for (let look = 0; look < looks.max && !deps.closing.aborted; look += 1) {
    const { json } = await deps.client.call({ method: 'GET', path: `/messages/${id}`, headers: keyed(workspace, null) });
    const { status, provider } = json?.data?.message ?? {};
    if (status === 'failed') return null;
    if (status === 'sent' || status === 'delivered') return provider;
    await pause(looks.everyMs, deps);
  }
  return null;
}

/** Asks for the erasure of the recipient of a message. */
export async function erase({ client, closing }: LoadDeps, workspace: Workspace, target: string, to: string): Promise<void> {
  const record = { operation: 'erase', workspace: workspace.id, key: null, target } as const;
  await client.callUntilAnswered({ method: 'POST', path: '/erasures', body: { to }, headers: keyed(workspace, null), record }, closing);
}

/** The rows of a list, read without a record in the history; none if it is not answered. */
// oxlint-disable-next-line typescript/no-explicit-any -- the rows of any list
export async function read({ client, closing }: LoadDeps, workspace: Workspace, path: string, name: string): Promise<any[]> {
  const { json } = await client.callUntilAnswered({ method: 'GET', path, headers: keyed(workspace, null) }, closing);
  return json?.data?.[name] ?? [];
}
