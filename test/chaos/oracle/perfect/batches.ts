/** The batches of a perfect service: one page of messages after the other; batches are paused, resumed and cancelled meanwhile. */
import type { Item } from '../../client-records.js';
import { priceOf } from '../money.js';
import type { BatchFact, MessageFact, WorkspaceFact } from '../snapshot.js';
import { handOff, isClaimed } from './carriers.js';
import { call, cancel, credits, itemOf, ordinaryResults, type Outcome } from './clients.js';
import { cancelQueued, failUnsent, insert } from './service.js';
import type { World } from './world.js';

export interface BatchWish {
  workspace: WorkspaceFact;
  size: number;
  /** Milliseconds after its acceptance. */
  pauseAfterMs?: number;
  resumeAfterMs?: number;
  cancelAfterMs?: number;
  /** Only its last message. */
  cancelLastAfterMs?: number;
  /** Milliseconds after its request. */
  expiresInMs?: number;
}

/** A batch, starting with its request. */
export function sendBulk(world: World, wish: BatchWish): void {
  const { workspace, size } = wish;
  const items = Array.from({ length: size }, () => itemOf(world, 'sms'));
  const expiresAt = wish.expiresInMs === undefined ? {} : { expiresAt: world.now + wish.expiresInMs };
  const request = {
    operation: 'bulk',
    workspace: workspace.id,
    key: `bulk-${items[0]?.token}`,
    channel: 'sms',
    items,
    ...expiresAt,
  } as const;
  let batch: BatchFact | undefined;
  const accept = (): Outcome => {
    if (batch !== undefined) return { ...told(batch), replayed: true };
    const cost = items.reduce((sum, item) => sum + priceOf('sms', item), 0);
    if (workspace.balance < cost) {
      const error = `Insufficient credits. You need ${credits(cost)} credits but have ${credits(workspace.balance)}.`;
      return { status: 402, code: 'insufficient_credits', error };
    }
    batch = store(world, workspace, items, cost);
    drive(world, batch, wish);
    return told(batch);
  };
  call(world, request, accept);
  if (world.random.chance(0.5)) world.after(500, () => (batch === undefined ? undefined : call(world, request, accept)));
}

function told({ id, accepted, cost }: BatchFact): Outcome {
  return { status: 201, id, data: { id, status: 'sending', accepted, total: accepted, credits_used: cost / 1000 } };
}

function store(world: World, workspace: WorkspaceFact, items: readonly Item[], cost: number): BatchFact {
  const id = world.id('batch');
  const batch: BatchFact = {
    id,
    workspace_id: workspace.id,
    status: 'sending',
    accepted: items.length,
    cost,
    scheduled_at: null,
    completed_at: null,
  };
  world.snapshot.batches.push(batch);
  world.post(workspace, 'debit', -cost, id);
  for (const item of items) insert(world, { workspace, channel: 'sms', item, key: null, batch });
  return batch;
}

function drive(world: World, batch: BatchFact, wish: BatchWish): void {
  const rows = world.snapshot.messages.filter(({ batch_id }) => batch_id === batch.id);
  for (const [index, row] of rows.entries()) world.after(20 + index * 150, () => begin(world, batch, row));
  const change = (operation: 'pause' | 'resume' | 'cancel-batch', afterMs: number | undefined) => {
    if (afterMs !== undefined) world.after(afterMs, () => decide(world, batch, operation));
  };
  change('pause', wish.pauseAfterMs);
  change('resume', wish.resumeAfterMs);
  change('cancel-batch', wish.cancelAfterMs);
  const last = rows.at(-1);
  if (wish.cancelLastAfterMs !== undefined && last !== undefined) world.after(wish.cancelLastAfterMs, () => cancel(world, last));
  if (wish.expiresInMs !== undefined) world.after(wish.expiresInMs, () => expire(world, rows));
  for (const ms of [3_000, 400_000]) world.after(ms, () => look(world, batch));
}

/** Hands off a message at its time, or when its batch is resumed. */
function begin(world: World, batch: BatchFact, row: MessageFact): void {
  if (row.status !== 'queued') return;
  if (batch.status === 'paused') return world.after(100, () => begin(world, batch, row));
  handOff(world, row, world.random.choose(ordinaryResults));
}

/** Fails the messages that no carrier has, also while their batch is paused. */
function expire(world: World, rows: readonly MessageFact[]): void {
  for (const row of rows) if (row.status === 'queued' && !isClaimed(row)) failUnsent(world, row, 'expired');
}

function decide(world: World, batch: BatchFact, operation: 'pause' | 'resume' | 'cancel-batch'): void {
  call(world, { operation, workspace: batch.workspace_id, key: null, target: batch.id }, () => {
    if (batch.status === 'completed' || batch.status === 'cancelled') return { status: 409, code: 'conflict' };
    if (operation === 'cancel-batch') cancelQueued(world, batch, isClaimed);
    else batch.status = operation === 'pause' ? 'paused' : 'sending';
    return { status: 200, id: batch.id };
  });
}

function look(world: World, batch: BatchFact): void {
  call(world, { operation: 'get-batch', workspace: batch.workspace_id, key: null, target: batch.id }, () => {
    const counts: Record<string, number> = {};
    for (const row of world.snapshot.messages) if (row.batch_id === batch.id) counts[row.status] = (counts[row.status] ?? 0) + 1;
    return { status: 200, id: batch.id, data: { id: batch.id, status: batch.status, accepted: batch.accepted, counts } };
  });
}
