/** Fills a workspace by the API, as its owner would. */
import { connect, select } from '../../models/db/database.js';
import { eventTypes } from '../../models/rules/webhooks/events.js';
import type { Service } from '../../harness/stage/service.js';
import { DemoClient } from '../../local/demo/demo-client.js';
import { until } from '../support/client.js';
import { flaky, letters, people } from './people.js';
import type { Receivers } from './receivers.js';

export interface Filled {
  workspaceId: string;
  login: { email: string; password: string };
  /** The ids of what the pictures show. */
  message: string;
  batch: string;
  webhook: string;
  delivery: string;
  contact: string;
}

interface WithId {
  id: string;
}

const login = { email: 'ada@example.com', password: 'correct horse battery' };
const stepMsMax = 120_000;

/** Resolves when what the pictures show has happened. */
export async function fillWorkspace({ baseUrl, databaseUrl }: Service, receivers: Receivers): Promise<Filled> {
  const client = new DemoClient(baseUrl, AbortSignal.timeout(stepMsMax));
  const { workspace } = await client.call<{ workspace: WithId }>('POST', '/auth/signup', {
    body: { ...login, company_name: 'Example Books' },
  });
  await verify(databaseUrl, workspace.id);
  const { token } = await client.call<{ token: string }>('POST', '/auth/login', { body: login });
  const owner = ownerOf(client, token);
  const { key } = await owner.post<{ key: string }>('/api-keys', { name: 'order service', scopes: ['send_messages', 'read_messages'] });
  await owner.post('/api-keys', { name: 'analytics', scopes: ['read_messages'], expires_at: new Date(Date.now() + 9e9).toISOString() });
  const contact = await addContacts(owner);
  const { webhook } = await owner.post<{ webhook: WithId }>('/webhooks', {
    url: receivers.failing,
    events: ['message.delivered', 'message.failed'],
    description: 'Customer records',
  });
  await owner.post('/webhooks', { url: receivers.working, events: eventTypes, description: 'Order system' });
  const sender = { send: <Data>(path: string, body: object) => client.call<Data>('POST', path, { apiKey: key, body }) };
  const batch = await sendAll(sender);
  const { message } = await sender.send<{ message: WithId }>('/messages/send', {
    to: flaky,
    channel: 'sms',
    content: { text: 'Hello Grace, your order of "Solaris" is on its way. It arrives tomorrow before noon.' },
    reference: 'order-4148',
  });
  await buyCredits(owner);
  await untilSettled(owner);
  return {
    workspaceId: workspace.id,
    login,
    message: message.id,
    batch,
    webhook: webhook.id,
    contact,
    delivery: await failedDelivery(owner, webhook.id),
  };
}

interface Owner {
  get<Data>(path: string): Promise<Data>;
  post<Data>(path: string, body: object): Promise<Data>;
}

const ownerOf = (client: DemoClient, token: string): Owner => ({
  get: (path) => client.call('GET', path, { token }),
  post: (path, body) => client.call('POST', path, { token, body }),
});

/** The address cannot receive the mail with the link. */
async function verify(databaseUrl: string, workspaceId: string): Promise<void> {
  const db = connect(databaseUrl, 1);
  await select(db, 'UPDATE workspaces SET email_verified = true WHERE id = $1 RETURNING id', [workspaceId]);
  await db.close();
}

/** At the local checkout, where no money moves. */
async function buyCredits(owner: Owner): Promise<void> {
  const { packages } = await owner.get<{ packages: WithId[] }>('/billing/packages');
  const { checkout_url: url } = await owner.post<{ checkout_url: string }>('/billing/checkout', { package_id: packages[1]?.id });
  await fetch(url, { method: 'POST', body: new URLSearchParams({ action: 'pay' }) });
  await until(async () => {
    const { transactions } = await owner.get<{ transactions: { type: string }[] }>('/billing/transactions');
    return transactions.some(({ type }) => type === 'purchase');
  }, 'the purchase is credited');
}

/** @returns the id of the contact that a picture shows */
async function addContacts(owner: Owner): Promise<string> {
  let id = '';
  for (const person of people.toReversed()) ({ id } = (await owner.post<{ contact: WithId }>('/contacts', person)).contact);
  const suppressed = [
    { channel: 'email', recipient: 'no-reply@example.org', reason: 'bounce' },
    { channel: 'sms', recipient: '+15550102222', reason: 'opt_out' },
    { channel: 'whatsapp', recipient: '+15550103333' },
    { channel: 'email', recipient: 'former.customer@example.org', reason: 'complaint' },
  ];
  for (const entry of suppressed) await owner.post('/suppressions', entry);
  return id;
}

/** @returns the id of the batch */
async function sendAll({ send }: { send<Data>(path: string, body: object): Promise<Data> }): Promise<string> {
  const { batch } = await send<{ batch: WithId }>('/messages/bulk', {
    channel: 'sms',
    content: { text: 'Dear {{ name }}, our spring catalogue is here. Reply STOP to end these messages.' },
    recipients: people.map(({ name, phone }) => ({ to: phone, variables: { name } })),
  });
  for (const letter of letters) await send('/messages/send', letter);
  return batch.id;
}

/** All messages have ended, and the watcher has counted them. */
async function untilSettled(owner: Owner): Promise<void> {
  const sent = letters.length + people.length + 1;
  await until(
    async () => {
      const { messages, delivered, failed } = await owner.get<Record<'messages' | 'delivered' | 'failed', number>>('/overview');
      return messages >= sent && delivered + failed >= sent;
    },
    'all messages have ended and are counted',
    stepMsMax,
  );
}

/** Waits for the first answer of the failing receiver. @returns the delivery with the most attempts of those that it answered */
async function failedDelivery(owner: Owner, webhookId: string): Promise<string> {
  type Listed = WithId & { attempts: { response_status: number | null }[] };
  let id = '';
  await until(
    async () => {
      const { deliveries } = await owner.get<{ deliveries: Listed[] }>(`/webhooks/${webhookId}/deliveries?limit=100`);
      const failed = deliveries.filter(({ attempts }) => attempts.some(({ response_status }) => response_status === 500));
      id = failed.toSorted((one, other) => other.attempts.length - one.attempts.length)[0]?.id ?? '';
      return id !== '';
    },
    'the failing receiver has answered',
    stepMsMax,
  );
  return id;
}
