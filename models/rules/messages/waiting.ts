/** What a message waits for: the answer to "why is it not delivered yet". */
import type { Channel } from '../../channels.js';
import { longestCallMs } from '../routing/provider-deadline.js';
import type { ProviderAccount } from '../routing/provider-kinds.js';
import { repeatableAccounts } from '../routing/recovery.js';
import { countText } from '../values/text.js';
import { dueTime } from './schedule.js';
import type { Status, StatusDetail } from './status.js';

export const waits = ['schedule', 'batch_resume', 'hand_off', 'provider_answer', 'next_attempt', 'report', 'webhook_delivery'] as const;

export interface Waiting {
  what: (typeof waits)[number];
  /** For people. */
  text: string;
  /** We expect the wait to end then at the latest; null if that is not known. A limit of the provider can delay it. */
  until: Date | null;
}

const turnTexts = {
  batch: 'Queued for hand-off at the rate of its batch',
  account: 'Queued for hand-off; an account of its channel is at its limit, or asked us to wait',
} as const;

interface Attempt {
  outcome: string | null;
  provider: string;
  started_at: Date;
  give_up_at: Date | null;
}

interface Circumstances {
  message: {
    status: Status;
    status_detail: StatusDetail;
    scheduled_at: Date | null;
    created_at: Date;
    sent_at: Date | null;
    channel: Channel;
    provider: string | null;
    expires_at: Date | null;
  };
  batchStatus: string | null;
  /** What sets the time of its hand-off; null: nothing that is known. */
  pace: keyof typeof turnTexts | null;
  attempts: readonly Attempt[];
  /** The next step of its chain; null if the message belongs to none. */
  chain: { outcome: string | null; due_at: Date | null } | null;
  events: readonly { status: string; delivery_id: string | null; next_attempt_at: Date | null }[];
}

export interface WaitLimits {
  handoffTimeoutSeconds: number;
  reportTimeoutSeconds: number;
  unknownHandoffSeconds: number;
  /** Accounts that are called or queried again about a call whose answer is lost. */
  repeatable: readonly string[];
}

/** The settings that limit waits. */
export interface WaitSettings extends Omit<WaitLimits, 'reportTimeoutSeconds' | 'repeatable'> {
  reportTimeoutSeconds: Readonly<Record<Channel, number>>;
  accounts: readonly Pick<ProviderAccount, 'name' | 'kind'>[];
}

/** The limits for messages of this channel. */
export const waitLimitsOf = (settings: WaitSettings, channel: Channel): WaitLimits => ({
  handoffTimeoutSeconds: settings.handoffTimeoutSeconds,
  unknownHandoffSeconds: settings.unknownHandoffSeconds,
  reportTimeoutSeconds: settings.reportTimeoutSeconds[channel],
  repeatable: repeatableAccounts(settings.accounts),
});

/** What the message waits for; null if nothing is open. Its webhook deliveries are considered only after the message itself has ended. */
export function waitingFor(circumstances: Circumstances, limits: WaitLimits, now: Date): Waiting | null {
  const { message, events } = circumstances;
  if (message.status === 'queued') return endingEarlier(beforeHandoff(circumstances, limits, now), circumstances, now);
  if (message.status === 'sent' && message.status_detail === 'awaiting_report') {
    const until = after(message.sent_at ?? message.created_at, limits.reportTimeoutSeconds);
    const text = `Waiting for a delivery report from ${message.provider ?? 'the carrier'}; we will query the carrier if none arrives`;
    return endingEarlier({ what: 'report', text, until }, circumstances, now);
  }
  const pending = events.filter(({ delivery_id, status }) => delivery_id !== null && status === 'pending');
  if (pending.length === 0) return null;
  const times = pending.flatMap(({ next_attempt_at }) => next_attempt_at?.getTime() ?? []);
  const until = times.length === 0 ? null : new Date(Math.min(...times));
  return { what: 'webhook_delivery', text: `Waiting for webhook deliveries to be acknowledged: ${pending.length} pending`, until };
}

/** The end of the wait; null if it is over already: waits for a limit of the provider, for example, do not use up the time for the hand-off. */
export const upcomingEnd = ({ until }: Waiting, now: Date): Date | null => (until !== null && until > now ? until : null);

function beforeHandoff({ message, batchStatus, pace, attempts }: Circumstances, limits: WaitLimits, now: Date): Waiting {
  const { scheduled_at } = message;
  if (batchStatus === 'paused') return { what: 'batch_resume', text: 'The batch is paused', until: null };
  if (scheduled_at !== null && scheduled_at > now) return { what: 'schedule', text: 'Scheduled for a later time', until: scheduled_at };
  const last = attempts.at(-1);
  const until = after(dueTime(message), limits.handoffTimeoutSeconds);
  if (last === undefined && pace !== null) return { what: 'hand_off', text: turnTexts[pace], until: null };
  if (last === undefined) return { what: 'hand_off', text: 'Queued for hand-off', until };
  if (last.outcome === null) {
    const answered = after(last.started_at, longestCallMs(message.channel) / 1000);
    if (answered > now) return { what: 'provider_answer', text: `Waiting for ${last.provider} to respond`, until: answered };
  }
  const lost = attempts.filter(({ outcome }) => outcome === null || outcome === 'unknown');
  const [first] = lost;
  if (first !== undefined) return afterLostAnswer(first, lost, limits, until);
  const text = `Retrying after ${countText(attempts.length, 'failed attempt')}; refunded if none succeeds`;
  return { what: 'next_attempt', text, until };
}

/** As `reportWaitEnd` says in uncertain-handoffs.ts. @param handoffEnd the end of the time for the hand-off */
function afterLostAnswer(first: Attempt, lost: readonly Attempt[], limits: WaitLimits, handoffEnd: Date): Waiting {
  const givenUp = lost.flatMap(({ give_up_at }) => give_up_at?.getTime() ?? []);
  const reportEnd = givenUp.length > 0 ? new Date(Math.max(...givenUp)) : after(first.started_at, limits.unknownHandoffSeconds);
  const silent = lost.find(({ provider }) => !limits.repeatable.includes(provider));
  if (silent !== undefined) {
    const text = `The response of ${silent.provider} was lost. Waiting for its delivery report; without one the message fails and is refunded`;
    return { what: 'report', text, until: reportEnd };
  }
  const text = `The response of ${first.provider} was lost. We ask it again, and nothing is sent twice; without a response the message fails and is refunded`;
  return { what: 'next_attempt', text, until: reportEnd > handoffEnd ? reportEnd : handoffEnd };
}

/** Waits that also end when the message expires, or when the next step of its chain is sent. */
const openWaits: readonly Waiting['what'][] = ['batch_resume', 'hand_off', 'next_attempt', 'report'];

function endingEarlier(waiting: Waiting, circumstances: Circumstances, now: Date): Waiting {
  if (!openWaits.includes(waiting.what)) return waiting;
  const ends = [
    { at: expiryOf(circumstances), text: 'If it is not handed off by then, it expires and is refunded' },
    { at: nextStepAt(circumstances, now), text: 'If it is not delivered by then, its fallback is sent' },
  ];
  return ends.reduce<Waiting>((earliest, { at, text }) => {
    if (at === null || (earliest.until !== null && earliest.until <= at)) return earliest;
    return { ...waiting, text: at > now ? `${waiting.text}. ${text}` : waiting.text, until: at };
  }, waiting);
}

/** A message that a carrier has, or may have, does not expire. */
function expiryOf({ message: { status, expires_at }, attempts }: Circumstances): Date | null {
  const mayBeTaken = attempts.some(({ outcome }) => outcome === null || outcome === 'unknown');
  return status === 'queued' && !mayBeTaken ? expires_at : null;
}

/** Null if no step follows, or if it would expire at once. A step that is due is decided at any moment. */
function nextStepAt({ message: { expires_at }, chain }: Circumstances, now: Date): Date | null {
  if (chain === null || chain.outcome !== null || chain.due_at === null || chain.due_at <= now) return null;
  return expires_at !== null && expires_at <= chain.due_at ? null : chain.due_at;
}

const after = (at: Date, seconds: number) => new Date(at.getTime() + seconds * 1000);
