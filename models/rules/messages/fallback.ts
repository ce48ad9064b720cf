/** Fallback chains: when the next step begins, and its cost. */
import type { Channel } from '../../channels.js';
import { handoffUnknownCode } from './error-codes.js';
import type { Content } from './content.js';
import type { Status } from './status.js';

/** A step that was not sent yet. */
export interface FallbackStep {
  channel: Channel;
  to: string;
  /** Seconds within which the previous message must be delivered. */
  after: number;
  /** The fields of its channel, except the text, which is the same for the whole chain. */
  content: Omit<Content, 'text'>;
  /** The price of the step alone, in thousandths of a credit. */
  price: number;
  segments: number | null;
  encoding: string | null;
}

export const fallbackStepsMax = 3;
/** Three days. By default, no channel waits longer for a report (`REPORT_TIMEOUT_…`). */
export const afterSecondsMax = 259_200;

/** `now`: the next step begins. `wait`: it may be necessary. `over`: it is not, or no longer. */
export type FallbackVerdict = 'now' | 'wait' | 'over';

/** A message that was cancelled or has expired is not wanted on another channel either, and a workspace that may not send sends on no channel. */
const endingCodes = new Set(['cancelled', 'expired', 'suspended', 'unverified']);

/** What decides about the step after a message. */
export interface MessageBefore {
  status: Status;
  error_code: string | null;
  /** Its `expires_at`, which is that of the whole chain, is over: the next step would expire at once. */
  has_expired: boolean;
}

/**
 * Whether the step after a message begins.
 * @param isDue the message's time is over
 */
export function fallbackVerdict({ status, error_code, has_expired }: MessageBefore, isDue: boolean): FallbackVerdict {
  if (status === 'delivered' || status === 'read' || has_expired) return 'over';
  if (status !== 'failed') return isDue ? 'now' : 'wait';
  if (endingCodes.has(error_code ?? '')) return 'over';
  // The message may have been sent. A report may still say so, within the message's time.
  return error_code === handoffUnknownCode && !isDue ? 'wait' : 'now';
}

/** The cost of a step in addition to what its chain was charged so far. A chain costs at most the price of its most expensive step. */
export const costOfStep = (price: number, charged: number): number => Math.max(0, price - charged);

/** A message of a chain, in the order of the chain. Amounts are in thousandths of a credit. */
export interface ChargedStep {
  id: string;
  /** Its price alone. */
  price: number;
  /** What it costs beside the others. */
  cost: number;
  /** Its cost was not refunded. */
  isCharged: boolean;
}

/**
 * What the later steps take over from the charge of a message that is refunded, because their prices were discounted by it. The others of the
 * chain then cost as much as if that message had not been in it: the price of the most expensive of them.
 * @param chain all messages of the chain
 * @param id the message that is refunded
 * @returns positive amounts, together at most the cost of that message
 */
export function takenOver(chain: readonly ChargedStep[], id: string): { id: string; amount: number }[] {
  const place = chain.findIndex((step) => step.id === id);
  let left = chain[place]?.cost ?? 0;
  let charged = 0;
  return chain.flatMap((step, index) => {
    if (!step.isCharged || index === place) return [];
    const due = costOfStep(step.price, charged);
    charged += due;
    const amount = index > place ? Math.min(left, Math.max(0, due - step.cost)) : 0;
    left -= amount;
    return amount > 0 ? [{ id: step.id, amount }] : [];
  });
}

/** The maximum cost of a chain, by the prices of its steps including the first message: all steps are sent and nothing is refunded. */
export const chainCostMax = (prices: readonly number[]): number =>
  prices.reduce((charged, price) => charged + costOfStep(price, charged), 0);

/** The channels of a message and of the steps that follow it, in order. */
export const channelsOf = ({
  channel,
  fallback = [],
}: {
  channel: Channel;
  fallback?: readonly { channel: Channel }[] | undefined;
}): Channel[] => [channel, ...fallback.map((step) => step.channel)];
