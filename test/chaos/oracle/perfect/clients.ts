/** The clients of a perfect service, and the network: requests are answered, refused, lost and repeated. */
import type { Channel } from '../../../../models/channels.js';
import { newToken } from '../../history.js';
import type { AnswerRecord, CallRecord, Item } from '../../client-records.js';
import { priceOf } from '../money.js';
import type { MessageFact, WorkspaceFact } from '../snapshot.js';
import { handOff, type HandOffResult } from './carriers.js';
import { forget } from './erasure.js';
import { failUnsent, insert } from './service.js';
import type { World } from './world.js';

/** The result of a simulated request: the answer without its number. */
export type Outcome = Partial<Omit<AnswerRecord, 'type' | 'call'>> & { status: number | null };

/** A call whose request is decided after a while and answered a little later. `decide` runs at the moment of the decision. */
export function call(world: World, request: Omit<CallRecord, 'type' | 'call'>, decide: () => Outcome): void {
  const number = world.count();
  world.see({ type: 'call', call: number, ...request });
  world.after(world.random.int(2, 60), () => {
    const outcome = decide();
    world.after(world.random.int(1, 30), () =>
      world.see({ type: 'answer', call: number, replayed: false, code: null, error: null, id: null, data: null, ...outcome }),
    );
  });
}

export const itemOf = (world: World, channel: Channel): Item => ({
  to: channel === 'email' ? `p${world.count()}@example.com` : `+1555${String(1_000_000 + world.count())}`,
  token: newToken(7, world.count()),
  length: world.random.int(20, 400),
});

export const credits = (thousandths: number) => String(thousandths / 1000);

const refusal = (price: number, balance: number): Outcome => ({
  status: 402,
  code: 'insufficient_credits',
  error: `Insufficient credits. You need ${credits(price)} credits but have ${credits(balance)}.`,
});

export const ordinaryResults: HandOffResult[] = [
  'taken',
  'taken',
  'taken',
  'taken',
  'refused',
  'busy',
  'lost',
  'unknown',
  'denied',
  'repeated',
];

export interface Wish {
  workspace: WorkspaceFact;
  channel: Channel;
  result: HandOffResult;
  scheduledInMs?: number;
  expiresInMs?: number;
  /** The first answer gets lost, and the client tries again. */
  loses?: boolean;
  /** The first call is refused. There is no second one if the request itself is invalid. */
  turnedAway?: 429 | 503 | 400;
  /** The first answer is a 500, because the service lost its database, although the message was accepted. */
  uncertain?: boolean;
  /** Milliseconds after its request. */
  cancelAfterMs?: number;
  suppressAfterMs?: number;
  eraseAfterMs?: number;
  fallback?: { channel: Channel; to: string; after: number };
}

/** One message, starting with its request. */
export function send(world: World, wish: Wish): void {
  const item = itemOf(world, wish.channel);
  const key = `key-${item.token}`;
  const request: Omit<CallRecord, 'type' | 'call'> = {
    operation: 'send',
    workspace: wish.workspace.id,
    key,
    channel: wish.channel,
    items: [item],
    ...(wish.fallback === undefined ? {} : { fallback: [wish.fallback] }),
    ...(wish.scheduledInMs === undefined ? {} : { scheduledAt: world.now + wish.scheduledInMs }),
    ...(wish.expiresInMs === undefined ? {} : { expiresAt: world.now + wish.expiresInMs }),
  };
  let row: MessageFact | undefined;
  let refused = false;
  const accept = (): Outcome => {
    if (row !== undefined) return { ...told(row), replayed: true };
    const price = priceOf(wish.channel, item);
    refused = wish.workspace.balance < price;
    if (refused) return refusal(price, wish.workspace.balance);
    row = insert(world, { ...wish, item, key, scheduledAt: request.scheduledAt });
    follow(world, row, wish);
    return told(row);
  };
  const { turnedAway } = wish;
  if (turnedAway !== undefined) {
    call(world, request, () => ({ status: turnedAway }));
    if (turnedAway !== 400) world.after(700, () => call(world, request, accept));
    return;
  }
  const hidden = { status: wish.uncertain === true ? 500 : null, id: null, data: null, replayed: false, error: null };
  const isHidden = wish.loses === true || wish.uncertain === true;
  call(world, request, isHidden ? () => ({ ...accept(), ...hidden }) : accept);
  // A repetition with the same key, because the answer was lost, or for no reason.
  if (isHidden || world.random.chance(0.2)) world.after(400, () => (refused ? undefined : call(world, request, accept)));
}

const told = ({ id, cost, created_at, status_detail }: MessageFact): Outcome => ({
  status: 201,
  id,
  data: { id, status: 'queued', status_detail, credits_used: cost / 1000, created_at },
});

function follow(world: World, row: MessageFact, wish: Wish): void {
  const isQueued = () => row.status === 'queued';
  const due = (wish.scheduledInMs ?? 0) + world.random.int(5, 50);
  if (wish.expiresInMs !== undefined && wish.expiresInMs < due)
    world.after(wish.expiresInMs, () => (isQueued() ? failUnsent(world, row, 'expired') : undefined));
  const goOut = () => (world.suppressed.has(row.id) ? failUnsent(world, row, 'suppressed') : handOff(world, row, wish.result));
  world.after(due, () => (isQueued() ? goOut() : undefined));
  if (wish.suppressAfterMs !== undefined) world.after(wish.suppressAfterMs, () => suppress(world, row));
  if (wish.eraseAfterMs !== undefined) world.after(wish.eraseAfterMs, () => erase(world, row));
  if (wish.cancelAfterMs !== undefined) world.after(wish.cancelAfterMs, () => cancel(world, row));
  if (wish.fallback !== undefined) world.after(wish.fallback.after * 1000 + 50, () => fallBack(world, row, wish));
}

/** Cancels a waiting message. It is too late if the message was handed off. */
export function cancel(world: World, row: MessageFact): void {
  const isClaimed = world.snapshot.attempts.some(({ message_id }) => message_id === row.id);
  call(world, { operation: 'cancel', workspace: row.workspace_id, key: null, target: row.id }, () => {
    if (row.status !== 'queued' || isClaimed) return { status: 409, code: 'conflict' };
    failUnsent(world, row, 'cancelled');
    return { status: 200, id: row.id };
  });
}

function suppress(world: World, { id, workspace_id: workspace, channel, to }: MessageFact): void {
  call(world, { operation: 'suppress', workspace, key: null, channel, to }, () => {
    world.suppressed.add(id);
    return { status: 201 };
  });
}

function erase(world: World, row: MessageFact): void {
  call(world, { operation: 'erase', workspace: row.workspace_id, key: null, target: row.id }, () => {
    forget(world, row);
    return { status: 202 };
  });
}

/** The step after a message that was not delivered in time. */
function fallBack(world: World, row: MessageFact, { workspace, fallback }: Wish): void {
  if (fallback === undefined || row.status === 'delivered' || row.status === 'read' || row.error_code === 'cancelled') return;
  const item = { to: fallback.to, token: row.token ?? '', length: row.length };
  const cost = Math.max(0, priceOf(fallback.channel, item) - row.credits_used);
  if (workspace.balance < cost) return;
  const next = insert(world, { workspace, channel: fallback.channel, item, key: null, cost });
  world.snapshot.fallbacks.push({ message_id: row.id, next_id: next.id, outcome: 'sent' });
  handOff(world, next, 'taken');
}
