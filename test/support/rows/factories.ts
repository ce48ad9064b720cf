/** Factories of rows: each inserts a minimal valid row and the rows that it needs. */
import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../../models/db/database.js';
import type { DeliveryStatus } from '../../../models/tables/delivery.js';
import { clientFieldsOf, type MessageRow, type NewMessage } from '../../../models/tables/message.js';
import { acceptMessages } from '../../../models/operations/messages/accept-messages.js';
import { insertMessages } from '../../../models/operations/messages/insert-messages.js';
import { credit } from '../../../models/operations/billing/post-credits.js';
import { priceOf } from '../../../models/rules/billing/credits.js';
import { carrierView } from '../../../models/rules/messages/segments.js';
import { encrypt } from '../../../models/rules/values/encryption.js';
import { eventTypes } from '../../../models/rules/webhooks/events.js';
import { generateWebhookSecret } from '../../../models/rules/webhooks/signed-headers.js';
import { OpenSession } from '../../../models/tables/open-session.js';
import { Replay, type ReplayStatus } from '../../../models/tables/replay.js';
import { Webhook } from '../../../models/tables/webhook.js';
import { Workspace } from '../../../models/tables/workspace.js';
import { workflowIds } from '../../../workflows/contract.js';
import { testEnv } from '../config.js';

const secretKey = testEnv().SECRET_KEY as string;

/** A workspace with this many thousandths of a credit, granted in the ledger. */
export async function buildWorkspace(db: Database, balance = 100_000): Promise<Workspace> {
  const id = uuidv7();
  const workspace = await Workspace.create({
    id,
    name: 'Acme',
    email: `${id}@example.test`,
    password_hash: '-',
    phone: null,
    country: null,
  });
  if (balance > 0) {
    await db.transaction((transaction) =>
      credit(db, transaction, id, { kind: 'grant', reference: id, amount: balance, description: 'Signup credits' }),
    );
  }
  return workspace.reload();
}

/** A stored message that is not accepted yet, in its own group. */
export async function buildUndecided(db: Database, workspaceId: string, overrides: Partial<NewMessage> = {}): Promise<MessageRow> {
  const { created_at: createdAt } = overrides;
  const id = uuidv7(createdAt === undefined ? {} : { msecs: createdAt.getTime() });
  const groupId = overrides.group_id ?? id;
  const message = newMessage({ id, workspace_id: workspaceId, group_id: groupId, ...overrides });
  const [row] = await insertMessages(db, { groupId, workflowId: workflowIds.message(groupId), messages: [message] });
  if (row === undefined) throw new Error('the idempotency key is taken');
  return row;
}

/** A message that was charged and queued. */
export async function buildQueued(db: Database, workspaceId: string, overrides: Partial<NewMessage> = {}): Promise<MessageRow> {
  const row = await buildUndecided(db, workspaceId, overrides);
  await acceptMessages(db, row.group_id);
  return row;
}

/** All fields of a new message, by SMS unless another channel is given, at its price. */
export function newMessage(overrides: Partial<NewMessage> & Pick<NewMessage, 'id' | 'workspace_id' | 'group_id'>): NewMessage {
  const { channel = 'sms', content = { text: 'Hello' } } = overrides;
  return {
    batch_id: null,
    channel,
    to: '+15551234567',
    content,
    ...clientFieldsOf({}),
    idempotency_key: null,
    request_digest: null,
    traceparent: null,
    status: 'accepting',
    status_detail: 'accepted',
    cost: priceOf(channel, content.text),
    ...carrierView(channel, content.text),
    scheduled_at: null,
    expires_at: null,
    created_at: new Date(),
    ...overrides,
  };
}

/** A webhook for all events, returned with its secret. */
export async function buildWebhook(
  workspaceId: string,
  url: string,
  overrides: { events?: (typeof eventTypes)[number][]; is_active?: boolean } = {},
) {
  const id = uuidv7();
  const secret = generateWebhookSecret();
  const row = await Webhook.create({
    id,
    workspace_id: workspaceId,
    url,
    events: [...eventTypes],
    description: null,
    secret: encrypt(secretKey, `webhook:${id}`, secret),
    is_active: true,
    ...overrides,
  });
  return { row, secret };
}

/** A replay of the failed and held deliveries until now, which is running unless another status is given. */
export function buildReplay(
  webhookId: string,
  { status = 'running', statuses = ['failed', 'held'] }: { status?: ReplayStatus; statuses?: DeliveryStatus[] } = {},
): Promise<Replay> {
  return Replay.create({
    id: uuidv7(),
    webhook_id: webhookId,
    status,
    ended_at: status === 'running' ? null : new Date(),
    since: new Date(0),
    until: new Date(),
    statuses,
    matched: 1,
  });
}

/** A session that is open for an hour, of a workspace that has never ended all of them. */
export const buildSession = (workspaceId: string): Promise<OpenSession> =>
  OpenSession.create({
    id: uuidv7(),
    workspace_id: workspaceId,
    kind: 'jwt',
    token_version: 0,
    expires_at: new Date(Date.now() + 3_600_000),
    address: null,
    user_agent: null,
  });
