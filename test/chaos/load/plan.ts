/** The plan of the clients of a run. Depends on the seed only. */
import { type Channel, channels } from '../../../models/channels.js';
import { newToken } from '../history.js';
import type { Item, Step } from '../client-records.js';
import { type ReceiverKind, receiverKinds } from '../receivers.js';
import type { Random } from '../random.js';
import type { Act, BulkAct, BulkStep, ReplayAct, ResendAct, SendAct } from './acts.js';

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
/** Half of the single sends come in bursts, which form groups. */
const burstMax = 10;
/** For each minute. */
const batches = { min: 3, max: 6, recipientsMin: 10, recipientsMax: 50 };
const replays = { min: 1, max: 3 };
const resends = { min: 3, max: 8 };

/** Plans the load of a run. @param bursts single sends, or bursts of them, per second */
export function planLoad({ seed, loadMs, bursts }: { seed: number; loadMs: number; bursts: number }, random: Random): LoadPlan {
  const items = itemsOf(seed);
  const acts: Act[] = [];
  const when = () => random.between(0, loadMs);
  for (let burst = Math.round((loadMs / 1000) * bursts); burst > 0; burst -= 1) {
    const [atMs, size] = [when(), random.chance(0.5) ? 1 : random.int(2, burstMax)];
    for (let index = 0; index < size; index += 1) acts.push(planSend(atMs + random.between(0, 60), random, items));
  }
  const times = ({ min, max }: { min: number; max: number }) => Math.round(random.int(min, max) * minutesOf(loadMs));
  for (let count = times(batches); count > 0; count -= 1) acts.push(planBulk(when() * 0.8, random, items));
  for (let count = times(replays); count > 0; count -= 1) acts.push(planReplay(when(), random));
  for (let count = times(resends); count > 0; count -= 1) acts.push(planResend(when(), random));
  return { loadMs, workspaces: planHooks(random), acts: acts.toSorted((one, other) => one.atMs - other.atMs) };
}

/** What happens a few times a minute happens as often in the shortest run. */
export const minutesOf = (loadMs: number): number => Math.max(1, loadMs / 60_000);

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

/** Every message has its own token and, except beside a STOP, its own recipient, so that its result is independent of the others. */
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
  if (random.chance(act.scheduledInMs === undefined ? 0.03 : 0.2)) act.suppressAfterMs = random.between(0, 4_000);
  if (channel === 'sms' && act.fallback === undefined && random.chance(0.1)) act.stop = planStop(act.item, random, items);
  if (isErasable(act) && random.chance(0.1)) act.eraseAfterMs = random.between(0, 8_000);
  return act;
}

/** A further message to the recipient, which is handed off before or after the STOP. */
function planStop({ to }: Item, random: Random, items: NextItem): NonNullable<SendAct['stop']> {
  const { text, token, length } = items('sms');
  const further = { item: { to, token, length }, text, afterMs: random.between(0, 2_000), stopAfterMs: random.between(0, 10_000) };
  return random.chance(0.5) ? { ...further, scheduledInMs: random.between(2_000, 8_000) } : further;
}

/**
 * After an erasure, a repeated request is unknown, and a carrier's id that names the recipient is another one. The steps of a chain, and messages
 * beside a STOP, share the recipient. So none of these messages is erased.
 */
const isErasable = ({ channel, fallback, stop, repeatAfterMs, cancelAfterMs }: SendAct): boolean =>
  channel !== 'whatsapp' && fallback === undefined && stop === undefined && repeatAfterMs === undefined && cancelAfterMs === undefined;

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
    steps: [],
  };
  const rate = random.choose([undefined, 2, 5, 20]);
  if (rate !== undefined) act.rate = rate;
  if (random.chance(0.15)) act.scheduledInMs = random.between(2_000, 8_000);
  if (random.chance(0.35)) act.expiresInMs = (act.scheduledInMs ?? 0) + random.between(2_000, 12_000);
  act.steps = planSteps(random, act.expiresInMs);
  return act;
}

/** The text of a batch for the recipient with this token. */
export const bulkText = (token: string): string => `Dear customer, your order ${token} is on its way.`;

/** Of the batches that expire, half stay paused, so that all their messages that were not handed off expire. */
function planSteps(random: Random, expiresInMs: number | undefined): BulkStep[] {
  const steps: BulkStep[] = [];
  const staysPaused = expiresInMs !== undefined && random.chance(0.5);
  const isPaused = staysPaused || random.chance(0.4);
  const some = (change: 'cancel-some' | 'suppress-some') =>
    steps.push({ afterMs: random.between(0, 2_000), change, count: random.int(1, 8) });
  const after = (afterMs: number, change: 'pause' | 'resume' | 'cancel-batch' | 'get-batch') => steps.push({ afterMs, change });
  if (isPaused) after(random.between(0, staysPaused ? 2_000 : 5_000), 'pause');
  if (random.chance(0.3)) some('cancel-some');
  if (random.chance(0.3)) some('suppress-some');
  if (isPaused && !staysPaused) after(random.between(1_000, 6_000), 'resume');
  if (!staysPaused && random.chance(0.25)) after(random.between(0, 6_000), 'cancel-batch');
  after(random.between(0, 3_000) + (staysPaused ? expiresInMs : 0), 'get-batch');
  return steps;
}

function planReplay(atMs: number, random: Random): ReplayAct {
  const act: ReplayAct = { kind: 'replay', atMs, workspace: random.int(0, workspaceCount - 1), webhook: random.int(0, 1) };
  if (random.chance(0.4)) act.pauseMs = random.between(1_000, 5_000);
  return act;
}

const planResend = (atMs: number, random: Random): ResendAct => ({
  kind: 'resend',
  atMs,
  workspace: random.int(0, workspaceCount - 1),
  webhook: random.int(0, 1),
  place: random.next(),
});
