/** The rows of a world, with a ledger that explains them. */
import type { EntryKind } from '../../models/tables/credit-entry.js';
import { eventTypes } from '../../models/rules/webhooks/events.js';
import { workflowIds } from '../../workflows/contract.js';
import { costOfMessage, groupsOf, messagesOf, type Stage, type World, type WorldMessage } from './world.js';

type Row = Record<string, unknown>;

const statuses: Readonly<Record<Stage, [status: string, detail: string]>> = {
  accepting: ['accepting', 'accepted'],
  queued: ['queued', 'accepted'],
  claimed: ['queued', 'sending'],
  proven: ['queued', 'sending'],
  retried: ['queued', 'accepted'],
  sent: ['sent', 'awaiting_report'],
  reported: ['sent', 'awaiting_report'],
  delivered: ['delivered', 'delivered'],
  failed: ['failed', 'undeliverable'],
};

const isNamed = (stage: Stage) => ['sent', 'reported', 'delivered'].includes(stage);
const hasReport = ({ stage }: WorldMessage) => stage === 'reported' || stage === 'proven';
const isOpen = (stage: Stage) => stage !== 'delivered' && stage !== 'failed';

/** By table, in the order in which they refer to each other. Every row of a table has the same columns. */
export function rowsOf(world: World): Record<string, Row[]> {
  const entries = world.workspaceIds.flatMap((id, index) => ledgerOf(world, id, world.spare[index] ?? 0));
  const messages = messagesOf(world);
  return {
    workspaces: world.workspaceIds.map((id) => workspaceRow(world, id, entries)),
    credit_entries: entries,
    webhooks: world.subscribers.map((id) => ({
      id,
      workspace_id: id,
      url: 'https://one.example.test/',
      events: eventTypes,
      secret: '\\x00',
    })),
    batches: world.batch === null ? [] : [batchRow(world, world.batch)],
    message_groups: groupsOf(world).map((group) => groupRow(world, group)),
    messages: messages.map(messageRow),
    send_attempts: messages.filter(({ attempt }) => attempt > 0).map(attemptRow),
    delivery_reports: messages.filter(hasReport).map(reportRow),
  };
}

/** Grant, debits, refunds: numbered, each with the balance after it. */
function ledgerOf(world: World, workspaceId: string, spare: number): Row[] {
  const mine = messagesOf(world).filter((message) => message.workspaceId === workspaceId && message.stage !== 'accepting');
  const singles = mine.filter(({ batchId }) => batchId === null);
  const refunded = mine.filter(({ stage }) => stage === 'failed');
  const movements: [kind: EntryKind, amount: number, reference: string][] = singles.map(({ id }) => ['debit', -costOfMessage, id]);
  const paged = mine.length - singles.length;
  if (paged > 0) movements.push(['debit', -paged * costOfMessage, world.batch?.id ?? '']);
  movements.push(...refunded.map(({ id }): [EntryKind, number, string] => ['refund', costOfMessage, id]));
  const granted = spare + mine.length * costOfMessage;
  if (granted > 0) movements.unshift(['grant', granted, workspaceId]);
  let balance = 0;
  return movements.map(([kind, amount, reference], index) => {
    balance += amount;
    const id = `${String(index).padStart(8, '0')}${workspaceId.slice(8)}`;
    return { id, workspace_id: workspaceId, number: index + 1, kind, amount, balance_after: balance, reference, description: kind };
  });
}

function workspaceRow(world: World, id: string, entries: Row[]): Row {
  const mine = entries.filter(({ workspace_id }) => workspace_id === id);
  const spent = mine.reduce((sum, { kind, amount }) => (kind === 'grant' ? sum : sum - Number(amount)), 0);
  const left = world.limits[world.workspaceIds.indexOf(id)] ?? null;
  return {
    id,
    name: 'Acme',
    email: `${id}@example.test`,
    password_hash: '-',
    balance: mine.at(-1)?.balance_after ?? 0,
    entry_count: mine.length,
    spend_limit_day: left === null ? null : spent + left,
    spend_day: new Date().toISOString().slice(0, 10),
    spent_today: spent,
    message_count: messagesOf(world).filter(({ workspaceId, stage }) => workspaceId === id && stage !== 'accepting').length,
  };
}

function batchRow({ workspaceIds }: World, { id, status, pages }: NonNullable<World['batch']>): Row {
  const accepted = pages.flat().length;
  return { id, workspace_id: workspaceIds[0], channel: 'sms', status, total: accepted, accepted, cost: accepted * costOfMessage };
}

function groupRow({ batch }: World, group: WorldMessage[]): Row {
  const { groupId, batchId } = group[0] as WorldMessage;
  return {
    id: groupId,
    workflow_id: batchId === null ? workflowIds.message(groupId) : workflowIds.page(groupId),
    reports_pending: group.some(hasReport),
    closed_at: group.some(({ stage }) => isOpen(stage)) ? null : new Date(),
    batch_id: batchId,
    page: batchId === null ? null : (batch?.pages.indexOf(group) ?? null),
    announced_at: null,
  };
}

function messageRow(message: WorldMessage): Row {
  const { id, groupId, workspaceId, batchId, stage, to, providerId } = message;
  const [status, status_detail] = statuses[stage];
  const at = new Date(0);
  return {
    id,
    workspace_id: workspaceId,
    group_id: groupId,
    batch_id: batchId,
    channel: 'sms',
    to,
    content: { text: 'Hello' },
    status,
    status_detail,
    cost: costOfMessage,
    credits_used: stage === 'accepting' || stage === 'failed' ? 0 : costOfMessage,
    provider: isNamed(stage) ? 'sandbox' : null,
    provider_message_id: isNamed(stage) ? providerId : null,
    sent_at: isNamed(stage) ? at : null,
    delivered_at: stage === 'delivered' ? at : null,
    failed_at: stage === 'failed' ? at : null,
  };
}

function attemptRow({ id, stage, providerId }: WorldMessage): Row {
  const knownOutcome = stage === 'retried' ? 'retryable' : 'accepted';
  const outcome = stage === 'claimed' || stage === 'proven' ? null : knownOutcome;
  return { message_id: id, number: 1, provider: 'sandbox', outcome, provider_message_id: outcome === 'accepted' ? providerId : null };
}

function reportRow({ id, groupId, providerId }: WorldMessage): Row {
  const report = { provider: 'sandbox', provider_message_id: providerId, status: 'delivered', occurred_at: new Date(), raw: '{}' };
  return { id: `aaaaaaaa${id.slice(8)}`, ...report, message_id: id, group_id: groupId };
}
