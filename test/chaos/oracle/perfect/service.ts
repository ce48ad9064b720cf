/** A perfect service: it accepts, charges, hands off, applies reports and refunds according to the contract, in one step each. */
import type { Channel } from '../../../../models/channels.js';
import type { Item } from '../../client-records.js';
import { priceOf } from '../money.js';
import type { BatchFact, MessageFact, WorkspaceFact } from '../snapshot.js';
import { tell } from './event-delivery.js';
import type { World } from './world.js';

export interface NewRow {
  workspace: WorkspaceFact;
  channel: Channel;
  item: Item;
  key: string | null;
  scheduledAt?: number | undefined;
  batch?: BatchFact;
  /** For a step of a chain: its additional cost. */
  cost?: number;
}

/** Stores a message and debits it. */
export function insert(world: World, { workspace, channel, item, key, scheduledAt, batch, cost }: NewRow): MessageFact {
  const price = cost ?? priceOf(channel, item);
  const row: MessageFact = {
    id: world.id('message'),
    workspace_id: workspace.id,
    batch_id: batch?.id ?? null,
    channel,
    to: item.to,
    token: item.token,
    length: item.length,
    idempotency_key: batch === undefined ? key : null,
    status: 'queued',
    status_detail: scheduledAt === undefined ? 'accepted' : 'scheduled',
    cost: price,
    credits_used: price,
    provider: null,
    provider_message_id: null,
    error_code: null,
    scheduled_at: scheduledAt ?? null,
    created_at: world.now,
    sent_at: null,
    delivered_at: null,
    failed_at: null,
    erased_at: null,
  };
  world.snapshot.messages.push(row);
  workspace.message_count += 1;
  if (batch === undefined && price > 0) world.post(workspace, 'debit', -price, row.id);
  tell(world, row, 'message.queued');
  return row;
}

/** Fails a message that was not handed off, with a refund. */
export function failUnsent(world: World, row: MessageFact, error_code: string, refundAs: string | null = row.id): void {
  Object.assign(row, { status: 'failed', status_detail: 'undeliverable', error_code, credits_used: 0, failed_at: world.now });
  const back = row.cost - takeOver(world, row);
  if (back > 0 && refundAs !== null) world.post(world.workspaceOf(row), 'refund', back, refundAs);
  tell(world, row, 'message.failed');
  end(world, row);
}

/** The step that was sent meanwhile pays its price out of the refund, as far as it was discounted. */
function takeOver({ snapshot }: World, row: MessageFact): number {
  const { next_id } = snapshot.fallbacks.find(({ message_id }) => message_id === row.id) ?? {};
  const step = snapshot.messages.find(({ id }) => id === next_id);
  if (step === undefined || (step.status !== 'queued' && step.sent_at === null)) return 0;
  const amount = Math.min(row.cost, priceOf(step.channel, step) - step.cost);
  if (amount === 0) return 0;
  snapshot.transfers.push({ from_id: row.id, to_id: step.id, amount });
  step.cost += amount;
  step.credits_used += amount;
  return amount;
}

export function markSent(world: World, row: MessageFact, provider: string, providerId: string): void {
  if (row.status !== 'queued') return;
  Object.assign(row, { status: 'sent', status_detail: 'awaiting_report', provider, provider_message_id: providerId, sent_at: world.now });
  tell(world, row, 'message.sent');
  end(world, row);
}

/** Applies a report by the transition table. */
export function apply(
  world: World,
  row: MessageFact,
  said: 'sent' | 'delivered' | 'failed' | 'read',
  provider: string,
  providerId: string,
): void {
  if (row.status === 'queued') markSent(world, row, provider, providerId);
  if (row.provider_message_id === null) Object.assign(row, { provider, provider_message_id: providerId });
  if (said === 'delivered') deliverTo(world, row);
  if (said === 'failed' && row.status === 'sent') {
    Object.assign(row, { status: 'failed', error_code: '30006', failed_at: world.now });
    tell(world, row, 'message.failed');
  }
  if (said === 'read' && row.channel === 'whatsapp') {
    if (row.status === 'sent') deliverTo(world, row);
    if (row.status === 'delivered') row.status = 'read';
  }
}

function deliverTo(world: World, row: MessageFact): void {
  if (row.status !== 'sent' && row.status !== 'failed') return;
  Object.assign(row, { status: 'delivered', delivered_at: world.now, failed_at: null, error_code: null });
  tell(world, row, 'message.delivered');
}

/** Marks a batch as completed if none of its messages is queued. */
function end(world: World, { batch_id }: MessageFact): void {
  const batch = world.snapshot.batches.find(({ id }) => id === batch_id);
  if (batch === undefined || batch.completed_at !== null) return;
  if (world.snapshot.messages.some((row) => row.batch_id === batch_id && row.status === 'queued')) return;
  batch.completed_at = world.now;
  if (batch.status !== 'cancelled') batch.status = 'completed';
}

/** Fails the queued messages of a batch that no carrier has, with one refund for all of them. */
export function cancelQueued(world: World, batch: BatchFact, isClaimed: (row: MessageFact) => boolean): void {
  batch.status = 'cancelled';
  const rows = world.snapshot.messages.filter((row) => row.batch_id === batch.id && row.status === 'queued' && !isClaimed(row));
  const [first] = rows;
  if (first === undefined) return;
  const sum = rows.reduce((total, { cost }) => total + cost, 0);
  world.post(world.workspaceOf(first), 'refund', sum, `cancel:${first.id}`);
  for (const row of rows) failUnsent(world, row, 'cancelled', null);
}
