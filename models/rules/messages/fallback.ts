/** Chains across channels: when the next step begins, and what it costs. */
import { type Channel, channelTraits } from '../../channels.js';
import type { Content } from './message-content.js';
import type { Status } from './status.js';

/** A step that waits. */
export interface FallbackStep {
  channel: Channel;
  to: string;
  /** Seconds that the message before it has to be delivered. */
  after: number;
  /** The fields that its channel has, except the text: that is the same for the whole chain. */
  content: Omit<Content, 'text'>;
  /** Thousandths of a credit that the step costs by itself. */
  price: number;
  segments: number | null;
  encoding: string | null;
}

export const fallbackStepsMax = 3;
/** Three days: no channel waits longer for a report. */
export const afterSecondsMax = 259_200;

/** `now`: the next step begins. `wait`: it may be needed. `over`: it is not, or not any more. */
export type FallbackVerdict = 'now' | 'wait' | 'over';

/** Nobody wants a message that was cancelled or has expired, on another channel neither. */
const ends = new Set(['cancelled', 'expired']);

/**
 * Whether the step after a message begins.
 * @param isDue the message has had its time
 */
export function fallbackVerdict({ status, error_code }: { status: Status; error_code: string | null }, isDue: boolean): FallbackVerdict {
  if (status === 'delivered' || status === 'read') return 'over';
  if (status !== 'failed') return isDue ? 'now' : 'wait';
  if (ends.has(error_code ?? '')) return 'over';
  // It may have gone out after all: a report may still tell, within the time that it has.
  return error_code === 'handoff_unknown' && !isDue ? 'wait' : 'now';
}

/** What a step costs beside what its chain has been charged so far: a chain costs what its dearest step does, at most. */
export const costOfStep = (price: number, charged: number): number => Math.max(0, price - charged);

/** The most that a chain costs, by the prices of its steps, the first message among them: when all are sent and nothing is refunded. */
export const capOf = (prices: readonly number[]): number => prices.reduce((charged, price) => charged + costOfStep(price, charged), 0);

/** The content without the fields that the channel does not have. */
export const contentOn = (channel: Channel, content: Content): Content => ({ text: content.text, ...besideText(channel, content) });

/** The fields of the content that the channel has, except the text. */
export function besideText(channel: Channel, { text: _, template, ...mail }: Content): Omit<Content, 'text'> {
  const { hasMailFields, hasApprovedTemplates } = channelTraits[channel];
  return { ...(hasMailFields ? mail : {}), ...(hasApprovedTemplates && template !== undefined ? { template } : {}) };
}
