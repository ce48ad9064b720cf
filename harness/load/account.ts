/** Creates a workspace with an API key, and optionally a webhook, over HTTP like a user. */
import { randomBytes } from 'node:crypto';
import { DemoClient } from '../../local/demo/demo-client.js';
import { connect, inTransaction, select } from '../../models/db/database.js';
import { credit } from '../../models/operations/billing/post-credits.js';
import { eventTypes } from '../../models/rules/webhooks/events.js';

export interface Account {
  apiKey: string;
  token: string;
  email: string;
  password: string;
  /**
   * Creates a webhook for this URL, by default for all events.
   * @returns its secret
   */
  subscribe(url: string, fields?: object): Promise<string>;
}

const callMsMax = 20_000;

async function equip(databaseUrl: string, workspaceId: string): Promise<void> {
  const db = connect(databaseUrl, 1);
  try {
    await select(db, 'UPDATE workspaces SET email_verified = true WHERE id = $1', [workspaceId]);
    // Another reference than that of the credits at sign-up, which the sandbox gives.
    const grant = { kind: 'grant', reference: `bench:${workspaceId}`, amount: 1_000_000_000, description: 'Credits of the bench' } as const;
    await inTransaction(db, (transaction) => credit(db, transaction, workspaceId, grant));
  } finally {
    await db.close();
  }
}

/**
 * Signs up, logs in, and creates a key.
 * @param databaseUrl needed if a real carrier is configured: then a new workspace gets no credits and may not send before its e-mail is verified
 */
export async function openAccount(baseUrl: string, databaseUrl?: string): Promise<Account> {
  const call = <Data>(path: string, body: object, token?: string): Promise<Data> =>
    new DemoClient(baseUrl, AbortSignal.timeout(callMsMax)).call<Data>('POST', path, { body, ...(token === undefined ? {} : { token }) });
  const email = `bench-${randomBytes(4).toString('hex')}@tidings.invalid`;
  const password = randomBytes(12).toString('base64url');
  const { workspace } = await call<{ workspace: { id: string } }>('/auth/signup', { email, password, company_name: 'Bench' });
  if (databaseUrl !== undefined) await equip(databaseUrl, workspace.id);
  const { token } = await call<{ token: string }>('/auth/login', { email, password });
  const { key } = await call<{ key: string }>('/api-keys', { name: 'bench' }, token);
  return {
    apiKey: key,
    token,
    email,
    password,
    subscribe: async (url, fields = {}) =>
      (await call<{ secret: string }>('/webhooks', { url, events: eventTypes, ...fields }, token)).secret,
  };
}
