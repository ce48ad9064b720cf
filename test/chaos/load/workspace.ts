/** A workspace of the load with its key and its webhooks, created through the API like a user's. */
import { randomBytes } from 'node:crypto';
import { eventTypes } from '../../../models/rules/webhooks/events.js';
import type { HookReceiver } from '../receivers.js';
import type { ApiAnswer, ApiCall, ApiClient } from './api-client.js';
import type { HookPlan } from './plan.js';

export interface Workspace {
  id: string;
  apiKey: string;
  token: string;
  /** Ids, in the order of the plan. */
  webhooks: string[];
}

/** Where the workers reach the receiver of a webhook, through its proxy. */
export interface HookPlace {
  plan: HookPlan;
  receiver: HookReceiver;
  url: string;
}

/** Signs up, logs in, and creates a key and the webhooks. */
export async function openWorkspace(client: ApiClient, hooks: readonly HookPlace[]): Promise<Workspace> {
  const call = async (path: string, body: object, headers: ApiCall['headers'] = {}) =>
    dataOf(await client.call({ method: 'POST', path, body, headers }), path);
  const email = `chaos-${randomBytes(6).toString('hex')}@tidings.invalid`;
  const password = randomBytes(12).toString('base64url');
  const { workspace } = await call('/auth/signup', { email, password, company_name: 'Chaos' });
  const { token } = await call('/auth/login', { email, password });
  const bearer = { Authorization: `Bearer ${token}` };
  const { key } = await call('/api-keys', { name: 'chaos' }, bearer);
  const webhooks: string[] = [];
  for (const { plan, receiver, url } of hooks) {
    const { webhook, secret } = await call('/webhooks', { url, events: eventTypes, ordered: plan.ordered }, bearer);
    receiver.belongsTo(webhook.id, secret);
    webhooks.push(webhook.id);
  }
  return { id: workspace.id, apiKey: key, token, webhooks };
}

function dataOf({ status, json }: ApiAnswer, path: string) {
  if (status !== 200 && status !== 201) throw new Error(`POST ${path} answered ${status}: ${JSON.stringify(json)}`);
  return json.data;
}
