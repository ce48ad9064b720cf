/** Creates messages in a given state, and reads their rows. */
import { v7 as uuidv7 } from 'uuid';
import { type Channel, forEachChannel } from '../../../models/channels.js';
import type { Database, Transaction } from '../../../models/db/database.js';
import type { MessageRow, NewMessage } from '../../../models/tables/message.js';
import { acceptMessages } from '../../../models/operations/messages/accept-messages.js';
import {
  type Choices,
  type Claim,
  type Claimed,
  claimHandoffs,
  type ClaimLimits,
} from '../../../models/operations/handoff/claim-handoffs.js';
import { giveUpOnHandoffs } from '../../../models/operations/handoff/give-up.js';
import type { UncertainWaits } from '../../../models/operations/handoff/uncertain-handoffs.js';
import type { OpenWork } from '../../../models/operations/reports/close-if-done.js';
import { insertMessages } from '../../../models/operations/messages/insert-messages.js';
import type { HistoryFilters } from '../../../models/operations/messages/list-messages.js';
import type { HandoffResult } from '../../../models/operations/handoff/record-handoffs.js';
import type { IncomingReport } from '../../../models/rules/callbacks/callback.js';
import type { ReportStatus } from '../../../models/rules/messages/status.js';
import { workflowIds } from '../../../workflows/contract.js';
import { rows } from '../database.js';
import { buildQueued, newMessage } from './factories.js';
import { recordHandoffs, testKey } from './reports.js';

/** Routes with one account per channel. The default is the sandbox. */
export const routedTo = (accounts: Readonly<Partial<Record<Channel, string>>>): Choices => {
  const choice = (account: string) => ({ reason: 'only' as const, accounts: [{ account, share: 100 }] });
  return forEachChannel((channel) => choice(accounts[channel] ?? 'sandbox'));
};
/** Filters that match the whole history. */
export const noFilters: HistoryFilters = {
  status: undefined,
  channel: undefined,
  to: undefined,
  reference: undefined,
  batch_id: undefined,
  start_date: undefined,
  end_date: undefined,
};

export const sandboxEverywhere = routedTo({});

/** A group of messages that are not accepted yet, one per override. */
export async function buildGroup(
  db: Database,
  workspaceId: string,
  overrides: Partial<NewMessage>[],
): Promise<{ groupId: string; ids: string[] }> {
  const groupId = uuidv7();
  const messages = overrides.map((override) => newMessage({ id: uuidv7(), workspace_id: workspaceId, group_id: groupId, ...override }));
  await insertMessages(db, { groupId, workflowId: workflowIds.message(groupId), messages });
  return { groupId, ids: messages.map(({ id }) => id) };
}

/** The same, charged and queued. @param messages their number, or the overrides of each */
export async function buildQueuedGroup(
  db: Database,
  workspaceId: string,
  messages: number | Partial<NewMessage>[],
): Promise<{ groupId: string; ids: string[] }> {
  const overrides = typeof messages === 'number' ? Array.from({ length: messages }, () => ({})) : messages;
  const group = await buildGroup(db, workspaceId, overrides);
  await acceptMessages(db, group.groupId);
  return group;
}

/** An earlier call without a known outcome stops nothing. */
export const noWaits: UncertainWaits = { leaseSeconds: 0, unknownSeconds: 0, repeatable: [] };

/** Claims all due messages of a group. @param limits what this claim leaves out or waits for */
export const claimAll = async (db: Database, groupId: string, choices: Choices, limits: Partial<ClaimLimits> = {}): Promise<Claim[]> =>
  (await claimSome(db, groupId, choices, limits)).claims;

/** The same, with the answer whether there may be others. */
export const claimSome = async (db: Database, groupId: string, choices: Choices, limits: Partial<ClaimLimits> = {}): Promise<Claimed> =>
  claimHandoffs(db, groupId, choices, {
    limit: 250,
    except: [],
    inBatch: false,
    without: [],
    resting: [],
    waits: noWaits,
    claimId: uuidv7(),
    erasureKey: await testKey(db),
    verifiedOnly: false,
    ...limits,
  });

/** Gives up on the hand-offs of a group, also on those without a known outcome. */
export const giveUpNow = (db: Database, groupId: string): Promise<OpenWork> => giveUpOnHandoffs(db, groupId, noWaits);

/** A message whose hand-off is in progress: claimed, without a response of the provider. */
export async function buildClaimed(db: Database, workspaceId: string, overrides: Partial<NewMessage> = {}): Promise<Claim> {
  const { group_id } = await buildQueued(db, workspaceId, overrides);
  const [claim] = await claimAll(db, group_id, sandboxEverywhere);
  if (claim === undefined) throw new Error('nothing to claim');
  return claim;
}

/** The provider's response that it accepted a message. */
export const acceptedAs = ({ id, attempt }: Pick<Claim, 'id' | 'attempt'>, provider_message_id: string = uuidv7()): HandoffResult => ({
  id,
  attempt,
  provider: 'sandbox',
  outcome: 'accepted',
  provider_message_id,
});

/** A message that the provider accepted. */
export async function buildSent(db: Database, workspaceId: string, overrides: Partial<NewMessage> = {}): Promise<MessageRow> {
  const claim = await buildClaimed(db, workspaceId, overrides);
  await recordHandoffs(db, [acceptedAs(claim)]);
  return messageOf(db, claim.id);
}

/** A delivery report of an accepted message. */
export const reportOf = (
  message: Pick<MessageRow, 'id' | 'provider_message_id'>,
  status: ReportStatus,
  overrides: Partial<IncomingReport> = {},
): IncomingReport => ({
  provider: 'sandbox',
  provider_message_id: message.provider_message_id ?? 'unknown',
  status,
  message_id: message.id,
  error_code: status === 'failed' ? '30006' : null,
  is_permanent: false,
  provider_error_code: status === 'failed' ? '30006' : null,
  occurred_at: new Date(),
  raw: '{}',
  ...overrides,
});

/**
 * The expected status after several reports: it only moves forward, `failed → delivered` is allowed as a correction, and `read` exists only on
 * WhatsApp, where it implies a delivery.
 */
export function stateAfter<State extends string>(
  reports: ReadonlySet<ReportStatus>,
  { channel, state }: { channel: Channel; state: State },
): State | ReportStatus {
  const isDelivered = reports.has('delivered') && ['sent', 'failed'].includes(state);
  const before = isDelivered ? 'delivered' : state;
  if (reports.has('read') && channel === 'whatsapp' && ['sent', 'delivered'].includes(before)) return 'read';
  return reports.has('failed') && before === 'sent' ? 'failed' : before;
}

/** The stored row, also of a message that is not accepted yet. */
export async function messageOf(db: Database, id: string): Promise<MessageRow> {
  const [row] = await rows<MessageRow>(db, 'SELECT * FROM messages WHERE id = $1', [id]);
  if (row === undefined) throw new Error(`no message ${id}`);
  return row;
}

/** Status and detail as one text, such as `sent/awaiting_report`. */
export async function statusOf(db: Database, id: string): Promise<string> {
  const { status, status_detail } = await messageOf(db, id);
  return `${status}/${status_detail}`;
}

/** The event types of a message, in order. */
export async function eventsOf(db: Database, messageId: string): Promise<string[]> {
  const events = await rows<{ type: string }>(db, 'SELECT type FROM events WHERE message_id = $1 ORDER BY seq', [messageId]);
  return events.map(({ type }) => type.replace('message.', ''));
}

/** The ledger of a workspace as `kind amount`, oldest first. */
export async function ledgerOf(db: Database, workspaceId: string): Promise<string[]> {
  const entries = await rows<{ entry: string }>(
    db,
    `SELECT kind || ' ' || amount AS entry FROM credit_entries WHERE workspace_id = $1 ORDER BY number`,
    [workspaceId],
  );
  return entries.map(({ entry }) => entry);
}

export async function balanceOf(db: Database, workspaceId: string): Promise<number | undefined> {
  const [row] = await rows<{ balance: number }>(db, 'SELECT balance FROM workspaces WHERE id = $1', [workspaceId]);
  return row?.balance;
}

/** Runs `work` in a transaction that is rolled back, and returns what it returned. */
export async function rolledBack<T>(db: Database, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  const transaction = await db.transaction();
  try {
    return await work(transaction);
  } finally {
    await transaction.rollback();
  }
}

/** The outcomes of the processed reports of a message, by status. */
export async function outcomesOf(db: Database, messageId: string): Promise<Record<string, string>> {
  const sql = 'SELECT status, outcome FROM delivery_reports WHERE message_id = $1 AND applied_at IS NOT NULL';
  const reports = await rows<{ status: string; outcome: string }>(db, sql, [messageId]);
  return Object.fromEntries(reports.map(({ status, outcome }) => [status, outcome]));
}
