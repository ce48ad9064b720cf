/** The plan of the clients of a run. Depends on the seed only. */
import { type Channel, channels } from '../../../models/channels.js';
import { newToken } from '../history.js';
import type { Item, Step } from '../client-records.js';
import { type ReceiverKind, receiverKinds } from '../receivers.js';
import type { Random } from '../random.js';

export interface SendAct {
  kind: 'send';
  atMs: number;
  workspace: number;
  channel: Channel;
  item: Item;
  text: string;
  /** With a key, a call is repeated until it is answered. Without one, it is made once. */
  hasKey: boolean;
  /** The call is repeated this long after the answer. */
  repeatAfterMs?: number;
  fallback?: Step[];
  scheduledInMs?: number;
  expiresInMs?: number;
  /** The message is cancelled this long after the answer. */
  cancelAfterMs?: number;
}

export interface BulkAct {
  kind: 'bulk';
  atMs: number;
  workspace: number;
  channel: Channel;
  items: Item[];
  rate?: number;
  hasKey: boolean;
  scheduledInMs?: number;
  /** Milliseconds after the answer, in this order. */
  steps: { afterMs: number; change: 'pause' | 'resume' | 'cancel-batch' | 'get-batch' }[];
}

export interface ReplayAct {
  kind: 'replay';
  atMs: number;
  workspace: number;
  /** The number of the webhook in its workspace. */
  webhook: number;
  /** The webhook is first inactive for this time. */
  pauseMs?: number;
}

export type Act = SendAct | BulkAct | ReplayAct;

export interface HookPlan {
  kind: ReceiverKind;
  ordered: boolean;
}

export interface LoadPlan {
  loadMs: number;
  /** The webhooks of each workspace. */
  workspaces: HookPlan[][];
  /** In the order of their times. */
  acts: Act[];
}

const workspaceCount = 4;
/** The first workspace sends more than its credits can pay. */
const weights = [4, 2, 2, 1];
/** Single sends per second on average. Half of them come in bursts, which form groups. */
const burstsPerSecond = 1;
const burstMax = 10;
const batches = { min: 3, max: 6, recipientsMin: 10, recipientsMax: 50 };
const replays = { min: 1, max: 3 };

/** Plans the load of a run. */
export function planLoad(seed: number, loadMs: number, random: Random): LoadPlan {
  const items = itemsOf(seed);
  const acts: Act[] = [];
  const when = () => random.between(0, loadMs);
  for (let burst = Math.round((loadMs / 1000) * burstsPerSecond); burst > 0; burst -= 1) {
    const [atMs, size] = [when(), random.chance(0.5) ? 1 : random.int(2, burstMax)];
    for (let index = 0; index < size; index += 1) acts.push(planSend(atMs + random.between(0, 60), random, items));
  }
  for (let count = random.int(batches.min, batches.max); count > 0; count -= 1) acts.push(planBulk(when() * 0.8, random, items));
  for (let count = random.int(replays.min, replays.max); count > 0; count -= 1) acts.push(planReplay(when(), random));
  return { loadMs, workspaces: planHooks(random), acts: acts.toSorted((one, other) => one.atMs - other.atMs) };
}

/**
 * Each workspace has an ordered webhook and an unordered one. The ordered one sends one event at a time, so its receiver is never slow:
 * that would take longer than a run.
 */
const planHooks = (random: Random): HookPlan[][] =>
  Array.from({ length: workspaceCount }, () => [
    { kind: random.choose(receiverKinds), ordered: false },
    { kind: random.choose(['good', 'flaky'] as const), ordered: true },
  ]);

type NextItem = (channel: Channel) => Item & { text: string; number: number };

/** Every message has its own recipient and its own token, so that its result is independent of the others. */
function itemsOf(seed: number): NextItem {
  let number = 0;
  return (channel) => {
    number += 1;
    const token = newToken(seed, number);
    const filling = number % 10 === 0 ? ' and a good deal more to read than one segment holds'.repeat(4) : '';
    const text = `Your order ${token} is on its way${filling}.`;
    return { to: recipientOf(channel, number), token, length: [...text].length, text, number };
  };
}

const recipientOf = (channel: Channel, number: number): string =>
  channel === 'email' ? `customer${number}@example.org` : `+1555${String(2_000_000 + number)}`;

const chooseWorkspace = (random: Random): number => {
  let draw = random.next() * weights.reduce((sum, weight) => sum + weight, 0);
  return weights.findIndex((weight) => (draw -= weight) < 0);
};

const chooseChannel = (random: Random): Channel => random.choose(['sms', 'sms', ...channels] as const);

function planSend(atMs: number, random: Random, items: NextItem): SendAct {
  const channel = chooseChannel(random);
  const { text, number, ...item } = items(channel);
  const act: SendAct = { kind: 'send', atMs, workspace: chooseWorkspace(random), channel, item, text, hasKey: random.chance(0.75) };
  if (act.hasKey && random.chance(0.08)) act.repeatAfterMs = random.between(0, 5_000);
  if (random.chance(0.1)) act.fallback = planFallback(number, channel, random);
  if (random.chance(0.1)) act.scheduledInMs = random.between(2_000, 15_000);
  if (random.chance(0.03)) act.expiresInMs = (act.scheduledInMs ?? 0) + random.between(1_000, 5_000);
  if (random.chance(act.scheduledInMs === undefined ? 0.03 : 0.3)) act.cancelAfterMs = random.between(0, 4_000);
  return act;
}

/** One further channel, rarely two. */
function planFallback(number: number, first: Channel, random: Random): Step[] {
  const others = random.shuffled(channels.filter((channel) => channel !== first));
  return others
    .slice(0, random.chance(0.3) ? 2 : 1)
    .map((channel) => ({ channel, to: recipientOf(channel, number), after: random.int(2, 6) }));
}

function planBulk(atMs: number, random: Random, items: NextItem): BulkAct {
  const channel = random.choose(channels);
  const recipients = Array.from({ length: random.int(batches.recipientsMin, batches.recipientsMax) }, () => items(channel));
  const act: BulkAct = {
    kind: 'bulk',
    atMs,
    workspace: chooseWorkspace(random),
    channel,
    items: recipients.map(({ to, token }) => ({ to, token, length: [...bulkText(token)].length })),
    hasKey: random.chance(0.85),
    steps: planSteps(random),
  };
  const rate = random.choose([undefined, 2, 5, 20]);
  if (rate !== undefined) act.rate = rate;
  if (random.chance(0.15)) act.scheduledInMs = random.between(2_000, 8_000);
  return act;
}

/** The text of a batch for the recipient with this token. */
export const bulkText = (token: string): string => `Dear customer, your order ${token} is on its way.`;

function planSteps(random: Random): BulkAct['steps'] {
  const steps: BulkAct['steps'] = [];
  const after = (afterMs: number, change: BulkAct['steps'][number]['change']) => steps.push({ afterMs, change });
  if (random.chance(0.4)) {
    after(random.between(0, 5_000), 'pause');
    after(random.between(1_000, 6_000), 'resume');
  }
  if (random.chance(0.25)) after(random.between(0, 6_000), 'cancel-batch');
  after(random.between(0, 3_000), 'get-batch');
  return steps;
}

function planReplay(atMs: number, random: Random): ReplayAct {
  const act: ReplayAct = { kind: 'replay', atMs, workspace: random.int(0, workspaceCount - 1), webhook: random.int(0, 1) };
  if (random.chance(0.4)) act.pauseMs = random.between(1_000, 5_000);
  return act;
}
