/** Fills and uses an installation, so that its metrics have all their series. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { endpoints } from '../../../api/endpoints/index.js';
import { scopes } from '../../../models/rules/accounts/api-key.js';
import { ApiKey } from '../../../models/tables/api-key.js';
import type { Workspace } from '../../../models/tables/workspace.js';
import { workflowTypes } from '../../../workflows/contract.js';
import { type Account, bearer, restClient } from '../../support/client.js';
import { answerWith, type Receiver } from '../../support/network/receiver.js';
import { buildWorkspace } from '../../support/rows/factories.js';
import type { Service } from '../../support/service.js';

/** Types of workflows that no request starts: after a restore, for reports that come late, and with WEBHOOK_FIRST_ATTEMPT=child. */
const rare: string[] = [
  workflowTypes.askRestored,
  workflowTypes.applyLateReports,
  workflowTypes.deliverWebhook,
  workflowTypes.startDeliveries,
];

/** Types of workflows that `useEach` starts. */
export const usedWorkflows = Object.values(workflowTypes).filter((type) => !rare.includes(type));

/** Each operation with both credentials and without one: the answers are of two classes for many of them. */
export async function callEach(url: string, { apiKey, token }: Account): Promise<void> {
  const ask = async (method: string, path: string, headers: Record<string, string>) => {
    const answer = await fetch(url + path.replaceAll(/:\w+/g, randomUUID()), { method: method.toUpperCase(), headers });
    await answer.body?.cancel();
  };
  for (const { method, path } of endpoints) {
    await ask(method, path, {});
    if (method === 'get') for (const headers of [{ 'X-API-Key': apiKey }, bearer(token)]) await ask(method, path, headers);
  }
}

/** Sends of each kind to a webhook that acknowledges them and then does not, so that each type of workflow runs. */
export async function useEach(url: string, account: Account, receiver: Receiver): Promise<void> {
  const client = restClient(url);
  const { id } = await client.hook(account, receiver.url);
  const onWebhook = async (path: string, body: object) =>
    assert.ok((await client.call('POST', `/api/v1/webhooks/${id}/${path}`, { body, headers: bearer(account.token) })).status < 300);
  const email = { to: 'a@example.test', channel: 'email', content: { subject: 'x', text: 'x' } };
  const fallback = [{ channel: 'sms', after: 120, to: '+15551234567' }];
  const sent = await Promise.all([
    client.send(account),
    client.send(account, email),
    client.send(account, { channel: 'whatsapp', to: '+15005550006', fallback }),
    client.send(account, { channel: 'whatsapp' }),
  ]);
  for (const message of sent)
    await client.messageUntil(account, message.id, ({ status }) => ['delivered', 'failed', 'read'].includes(status));
  await onWebhook('test', {});
  await onWebhook('replay', { since: new Date(0).toISOString(), status: 'succeeded' });
  const bulk = { channel: 'sms', recipients: [{ to: '+15551234567' }], content: { text: 'x' } };
  const headers = { 'X-API-Key': account.apiKey };
  assert.ok((await client.call('POST', '/api/v1/messages/bulk', { body: bulk, headers })).status < 300);
  receiver.answer = answerWith(500);
  await client.send(account);
}

/** How many requests are sent at the same time. */
export const together = 20;
export const recipient = '+15552001234';

async function inTurns(keys: readonly string[], use: (key: string) => Promise<void>): Promise<void> {
  for (let begin = 0; begin < keys.length; begin += together) await Promise.all(keys.slice(begin, begin + together).map(use));
}

/** Asks with each key for the balance. */
export const readBalances = (url: string, keys: readonly string[]): Promise<void> =>
  inTurns(keys, async (key) => {
    const answer = await fetch(`${url}/api/v1/balance`, { headers: { 'X-API-Key': key } });
    assert.equal(answer.status, 200, await answer.text());
  });

/** Sends a message with each key. */
export const sendFromEach = (url: string, keys: readonly string[]): Promise<void> =>
  inTurns(keys, async (key) => {
    const body = { to: recipient, channel: 'sms', content: { text: 'Hello' } };
    const { status } = await restClient(url).call('POST', '/api/v1/messages/send', { body, headers: { 'X-API-Key': key } });
    assert.equal(status, 201);
  });

/** Builds workspaces, of which the first ones can send. @returns them with a key each */
export async function buildWorkspaces(
  { db, config }: Pick<Service, 'db' | 'config'>,
  count: number,
  sending: number,
): Promise<[Workspace, string][]> {
  const build = async (at: number): Promise<[Workspace, string]> => {
    const workspace = await buildWorkspace(db, at < sending ? 100_000 : 0);
    const { key } = await ApiKey.issue(config.secretKey, { workspace_id: workspace.id, name: 'test', scopes });
    return [workspace, key];
  };
  const built: [Workspace, string][] = [];
  while (built.length < count) {
    const { length } = built;
    built.push(...(await Promise.all(Array.from({ length: together }, (_, index) => build(length + index)))));
  }
  return built;
}
