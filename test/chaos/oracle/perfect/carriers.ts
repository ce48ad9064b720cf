/** The path of a message through unreliable carriers, with a perfect service. */
import type { CarrierRecord, ReportRecord } from '../../records.js';
import type { MessageFact } from '../snapshot.js';
import { apply, failUnsent, markSent } from './service.js';
import type { World } from './world.js';

/** The result of a hand-off. */
export type HandOffResult = 'taken' | 'refused' | 'busy' | 'lost' | 'unknown' | 'denied' | 'repeated';

const account = 'twilio';
/** Claimed messages, which cannot be cancelled. */
const claimed = new WeakSet<MessageFact>();
export const isClaimed = (row: MessageFact) => claimed.has(row);

/** Writes the attempt, calls the carrier a moment later, and continues according to the answer. */
export function handOff(world: World, row: MessageFact, result: HandOffResult): void {
  claimed.add(row);
  const number = world.snapshot.attempts.filter(({ message_id }) => message_id === row.id).length + 1;
  const attempt = {
    message_id: row.id,
    number,
    provider: account,
    outcome: null as 'accepted' | 'retryable' | 'rejected' | 'unknown' | null,
    started_at: world.now,
  };
  world.snapshot.attempts.push(attempt);
  const handoff = world.count();
  const see = (did: CarrierRecord['did'], providerId: string | null = null) => {
    const { channel, token, to } = row;
    world.see({ type: 'carrier', handoff, did, carrier: account, account, channel, token: token ?? '', to, providerId });
  };
  world.after(world.random.int(2, 40), () => see('received'));
  const latency = world.random.int(50, 3000);
  world.after(latency, () => {
    const providerId = `SM${world.count()}`;
    if (result === 'refused' || result === 'busy') {
      see(result);
      see('answered');
      attempt.outcome = result === 'refused' ? 'rejected' : 'retryable';
      claimed.delete(row);
      world.after(5, () => (result === 'refused' ? failUnsent(world, row, '30008') : tryAgain(world, row)));
      return;
    }
    see('took', providerId);
    see(result === 'taken' ? 'answered' : 'lost');
    attempt.outcome = result === 'taken' ? 'accepted' : 'unknown';
    if (result === 'taken') world.after(4, () => markSent(world, row, account, providerId));
    follow(world, row, result, providerId);
  });
}

/** Not while its batch is paused. A message that returns from a carrier after the cancel of its batch is cancelled too. */
function tryAgain(world: World, row: MessageFact): void {
  world.after(600, () => {
    if (row.status !== 'queued') return;
    const batch = world.snapshot.batches.find(({ id }) => id === row.batch_id);
    if (batch?.status === 'cancelled') failUnsent(world, row, 'cancelled', `cancel:${row.id}`);
    else if (batch?.status === 'paused') tryAgain(world, row);
    else handOff(world, row, 'taken');
  });
}

/** The steps after the carrier has the message. */
function follow(world: World, row: MessageFact, result: HandOffResult, providerId: string): void {
  if (result === 'denied') return world.after(16_000, () => ask(world, row));
  if (result === 'repeated') return world.after(16_000, () => callAgain(world, row, providerId));
  if (result === 'unknown') {
    world.after(125_000, () => failUnsent(world, row, 'handoff_unknown'));
    // A day later, the carrier sends a report after all.
    if (world.random.chance(0.5)) reportLater(world, row, providerId, ['delivered'], 200_000);
    return;
  }
  report(world, row, providerId, result);
}

/** The carrier cannot find a message that it took. The adapter may lawfully call again. */
function ask(world: World, row: MessageFact): void {
  const { channel, token, to } = row;
  const base = {
    type: 'carrier',
    handoff: world.count(),
    carrier: account,
    account,
    channel,
    token: token ?? '',
    to,
    providerId: null,
  } as const;
  world.see({ ...base, did: 'asked', found: false });
  world.see({ ...base, did: 'answered' });
  handOff(world, row, 'taken');
}

/** A carrier with idempotency keys gives the same answer to the same key. */
function callAgain(world: World, row: MessageFact, providerId: string): void {
  const number = world.snapshot.attempts.filter(({ message_id }) => message_id === row.id).length + 1;
  world.snapshot.attempts.push({ message_id: row.id, number, provider: account, outcome: 'accepted', started_at: world.now });
  const { channel, token, to } = row;
  const base = { type: 'carrier', handoff: world.count(), carrier: account, account, channel, token: token ?? '', to } as const;
  world.after(10, () => {
    world.see({ ...base, did: 'received', providerId: null });
    world.see({ ...base, did: 'repeated', providerId });
    world.see({ ...base, did: 'answered', providerId: null });
    markSent(world, row, account, providerId);
    report(world, row, providerId, 'taken');
  });
}

function report(world: World, row: MessageFact, providerId: string, result: HandOffResult): void {
  const ends: ReportRecord['status'][][] = [
    ['delivered'],
    ['sent', 'delivered'],
    ['failed'],
    ['failed', 'delivered'],
    ['delivered', 'failed'],
  ];
  if (row.channel === 'whatsapp') ends.push(['delivered', 'read'], ['read', 'delivered'], ['read']);
  if (result !== 'lost') ends.push([]);
  reportLater(world, row, providerId, world.random.choose(ends), world.random.int(100, 20_000));
}

/** Posts reports, some of them twice, and sometimes a forged one. Each post may fail and is then repeated. */
function reportLater(world: World, row: MessageFact, providerId: string, says: readonly ReportRecord['status'][], ms: number): void {
  for (const [index, status] of says.entries()) {
    const posts = 1 + (world.random.chance(0.2) ? 1 : 0);
    for (let post = 0; post < posts; post += 1)
      world.after(ms + index * 150 + post * 70, () => postReport(world, row, providerId, status, true));
  }
  if (world.random.chance(0.1)) world.after(ms + 30, () => postReport(world, row, providerId, 'read', false));
}

function postReport(world: World, row: MessageFact, providerId: string, status: ReportRecord['status'], genuine: boolean): void {
  const number = world.count();
  world.see({ type: 'report', report: number, carrier: account, account, providerId, status, genuine });
  world.after(10, () => {
    const answer = genuine ? 204 : 401;
    if (genuine && world.random.chance(0.05)) {
      world.see({ type: 'report-answer', report: number, status: 500 });
      world.after(300, () => postReport(world, row, providerId, status, genuine));
      return;
    }
    if (genuine) keep(world, row, providerId, status);
    world.see({ type: 'report-answer', report: number, status: answer });
  });
}

function keep(world: World, row: MessageFact, provider_message_id: string, status: ReportRecord['status']): void {
  const isThere = world.snapshot.inbox.some((kept) => kept.provider_message_id === provider_message_id && kept.status === status);
  if (isThere) return;
  world.snapshot.inbox.push({ provider: account, provider_message_id, status, message_id: row.id, applied_at: world.now });
  apply(world, row, status, account, provider_message_id);
}
