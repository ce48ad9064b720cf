/** The rules of a recovery for restored rows. */
import type { Channel } from '../../channels.js';
import type { ProviderAccount, ProviderKind } from './provider-kinds.js';
import type { Route } from './route.js';
import type { StatusDetail } from '../messages/status.js';

/** The fields of a restored `queued` message that the verdict depends on. */
export interface RestoredMessage {
  scheduled_at: Date | null;
  status_detail: StatusDetail;
  /** The status of its batch; null without a batch. */
  batch_status: string | null;
  /** The accounts that may have it, from an attempt whose outcome was unknown before the restore. */
  uncertain_at: readonly string[];
}

/** `uncertain`: it may have been handed off in the lost time. `scheduled`, `cancelled`: it was certainly not. */
export type RestoredVerdict = 'uncertain' | 'scheduled' | 'cancelled';

/** A hand-off begins at most this long before the scheduled time; see `isDue` in refuse-queued.ts. */
const earlyMs = 1_000;

/**
 * Whether a message may have been handed off between the moment to which the database was restored and the moment at which the last worker
 * stopped. A paused batch may have been resumed in that time. A cancelled batch begins no hand-off.
 */
export function verdictOf({ scheduled_at, status_detail, batch_status, uncertain_at }: RestoredMessage, stoppedAt: Date): RestoredVerdict {
  if (uncertain_at.length > 0) return 'uncertain';
  if (scheduled_at !== null && scheduled_at.getTime() > stoppedAt.getTime() + earlyMs) return 'scheduled';
  const isUnclaimed = status_detail === 'scheduled' || status_detail === 'accepted';
  return batch_status === 'cancelled' && isUnclaimed ? 'cancelled' : 'uncertain';
}

/** What can be done about a call whose answer is lost, the surest first: repeat it, search for the message, or wait for the delivery report. */
const remedies = ['repeat', 'search', 'wait'] as const;

const afterLostAnswer: Readonly<Record<ProviderKind, (typeof remedies)[number]>> = {
  sandbox: 'repeat',
  postmark: 'search',
  twilio: 'wait',
  meta: 'wait',
  smtp: 'wait',
  ses: 'wait',
  sendgrid: 'wait',
};

/** The accounts that are called or queried again about a call whose answer is lost. */
export const repeatableAccounts = (accounts: readonly Pick<ProviderAccount, 'name' | 'kind'>[]): string[] =>
  accounts.filter(({ kind }) => afterLostAnswer[kind] !== 'wait').map(({ name }) => name);

/**
 * The accounts that may have a message. The one with the fewest possibilities of a query is last, because the hand-off continues with the
 * last one (`routeOf` in claim-handoffs.ts). So nothing is sent again while another account may have it.
 * @param bound accounts at which it was uncertain before. Those that are no longer in the settings cannot be queried
 */
export function suspectedAccounts(
  { routes, accounts }: { routes: Readonly<Record<Channel, readonly Route[]>>; accounts: readonly ProviderAccount[] },
  channel: Channel,
  bound: readonly string[],
): string[] {
  const kinds = new Map(accounts.map(({ name, kind }) => [name, kind]));
  const rank = (name: string) => {
    const kind = kinds.get(name);
    return remedies.indexOf(kind === undefined ? 'wait' : afterLostAnswer[kind]);
  };
  const names = new Set([...routes[channel].map(({ account }) => account), ...bound]);
  return [...names].toSorted((one, other) => rank(one) - rank(other));
}
