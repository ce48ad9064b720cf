/** A whole run of a perfect service: every operation of the contract, while everything around the service fails. */
import type { History, Target } from '../../records.js';
import { randomOf } from '../../random.js';
import type { Snapshot, WebhookFact, WorkspaceFact } from '../snapshot.js';
import { sendBulk } from './batches.js';
import { call, ordinaryResults, send, type Wish } from './clients.js';
import { deliver } from './event-delivery.js';
import { World } from './world.js';

export interface PerfectRun {
  history: History;
  snapshot: Snapshot;
}

/**
 * Creates a history without broken promises.
 * @param sends how many single messages there are, besides batches and the rest
 */
export function perfectRun(seed: number, sends = 60): PerfectRun {
  const world = new World(randomOf(seed));
  world.see({ type: 'phase', phase: 'run', detail: { seed } });
  const rich = world.workspace(100_000);
  const poor = world.workspace(10);
  const hooks = [world.webhook(rich, false), world.webhook(rich, true), world.webhook(poor, false)];
  world.after(1_000, () => world.see({ type: 'phase', phase: 'load-began' }));
  for (let number = 0; number < sends; number += 1)
    world.after(1_100 + world.random.int(0, 60_000), () => send(world, wishOf(world, number, rich, poor)));
  plan(world, rich, hooks);
  world.run();
  world.see({ type: 'phase', phase: 'settled' });
  return { history: world.history, snapshot: world.snapshot };
}

const channels = ['sms', 'whatsapp', 'email'] as const;

function wishOf(world: World, number: number, rich: WorkspaceFact, poor: WorkspaceFact): Wish {
  const { random } = world;
  const base = { workspace: random.chance(0.3) ? poor : rich, channel: random.choose(channels), result: random.choose(ordinaryResults) };
  // The last step by e-mail is sent before the first message of its chain is given up and refunded.
  const isEarly = number === 59;
  const variants: Partial<Wish>[] = [
    {},
    {},
    { loses: true },
    { scheduledInMs: 20_000, cancelAfterMs: 5_000 },
    { scheduledInMs: 15_000 },
    { cancelAfterMs: 200 },
    { scheduledInMs: 10_000, expiresInMs: 9_000 },
    { channel: 'whatsapp', result: 'refused', fallback: { channel: 'sms', to: '+15557654321', after: 30 } },
    { turnedAway: 503 },
    { turnedAway: 400 },
    { channel: 'email', result: 'taken', fallback: { channel: 'sms', to: '+15557654322', after: 5 } },
    { channel: 'whatsapp', result: 'unknown', fallback: { channel: 'email', to: 'a@example.com', after: isEarly ? 30 : 200 } },
  ];
  return { ...base, ...variants[number % variants.length] };
}

function plan(world: World, rich: WorkspaceFact, [plain]: WebhookFact[]): void {
  world.after(30_050, () => send(world, { workspace: rich, channel: 'sms', result: 'taken', uncertain: true }));
  world.after(31_000, () =>
    send(world, { workspace: rich, channel: 'sms', result: 'taken', scheduledInMs: 10_000, suppressAfterMs: 3_000 }),
  );
  for (const result of ['refused', 'lost'] as const)
    world.after(32_000, () => send(world, { workspace: rich, channel: 'email', result, eraseAfterMs: 1_000 }));
  world.after(2_000, () =>
    sendBulk(world, { workspace: rich, size: 25, pauseAfterMs: 1_000, cancelLastAfterMs: 5_000, resumeAfterMs: 20_000 }),
  );
  world.after(3_000, () => sendBulk(world, { workspace: rich, size: 12, pauseAfterMs: 700, expiresInMs: 9_000 }));
  world.after(4_000, () => sendBulk(world, { workspace: rich, size: 25, cancelAfterMs: 1_700 }));
  world.after(6_000, () => sendBulk(world, { workspace: rich, size: 10 }));
  if (plain !== undefined) {
    world.after(20_000, () => switchWebhook(world, plain, false));
    world.after(50_000, () => switchWebhook(world, plain, true));
    world.after(90_000, () => replay(world, plain));
  }
  const faults: [string, Target[], number, number][] = [
    ['kill', ['worker'], 15_000, 17_000],
    ['terminate', ['api'], 25_000, 26_000],
    ['backends', ['postgres'], 30_000, 30_100],
    ['lose-answers', ['carrier'], 1_000, 60_000],
  ];
  for (const [index, [name, targets, from, to]] of faults.entries()) {
    world.after(from, () => world.see({ type: 'nemesis', nemesis: index, did: 'began', name, targets }));
    world.after(to, () => world.see({ type: 'nemesis', nemesis: index, did: 'ended', name, targets }));
  }
  world.after(26_000, () => world.see({ type: 'exit', process: 'api', pid: 4711, asked: 'SIGTERM', code: 0, signal: null }));
  world.after(15_000, () => world.see({ type: 'exit', process: 'worker', pid: 4712, asked: 'SIGKILL', code: null, signal: 'SIGKILL' }));
}

function switchWebhook(world: World, webhook: WebhookFact, is_active: boolean): void {
  const { id, workspace_id: workspace } = webhook;
  call(world, { operation: 'update-webhook', workspace, key: null, target: id, change: { is_active } }, () => {
    webhook.is_active = is_active;
    if (is_active) world.inactive.delete(id);
    else world.inactive.add(id);
    return { status: 200, id };
  });
}

/** Delivers held events in their order. */
function replay(world: World, webhook: WebhookFact): void {
  const { id, workspace_id: workspace } = webhook;
  call(world, { operation: 'replay', workspace, key: null, target: id, change: { since: 0 } }, () => {
    for (const delivery of world.snapshot.deliveries) {
      if (delivery.webhook_id !== id || delivery.status !== 'held') continue;
      const event = world.snapshot.events.find((each) => each.id === delivery.event_id);
      if (event === undefined) continue;
      delivery.status = 'pending';
      deliver(world, webhook, event, 'replay');
    }
    return { status: 202, id: world.id('replay') };
  });
}
