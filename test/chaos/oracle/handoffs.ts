/** The calls that carriers saw. */
import type { Channel } from '../../../models/channels.js';
import type { CarrierRecord } from '../records.js';

/** One request to a carrier. A time is null if the event did not happen. */
export interface Handoff {
  handoff: number;
  account: string;
  channel: Channel;
  token: string;
  to: string;
  /** The request is a query about an earlier one, with its answer. */
  asked: boolean;
  found: boolean | null;
  receivedAt: number;
  /** The carrier will send the message because of this request. */
  tookAt: number | null;
  /** It recognized the request by its idempotency key, and repeated the earlier answer. */
  repeated: boolean;
  refused: boolean;
  /** Its answer was a server error, which does not say whether it took the message. */
  unclear: boolean;
  providerId: string | null;
  answeredAt: number | null;
  lostAt: number | null;
}

/** Combines the records of each request, in the order of the requests. */
export function collectHandoffs(records: readonly (CarrierRecord & { at: number })[]): Handoff[] {
  const handoffs = new Map<number, Handoff>();
  for (const record of records) {
    const handoff = handoffs.get(record.handoff) ?? begin(record);
    handoffs.set(record.handoff, handoff);
    note(handoff, record);
  }
  return [...handoffs.values()];
}

const begin = ({ handoff, account, channel, token, to, at }: CarrierRecord & { at: number }): Handoff => ({
  handoff,
  account,
  channel,
  token,
  to,
  asked: false,
  found: null,
  receivedAt: at,
  tookAt: null,
  repeated: false,
  refused: false,
  unclear: false,
  providerId: null,
  answeredAt: null,
  lostAt: null,
});

function note(handoff: Handoff, { did, at, providerId, found }: CarrierRecord & { at: number }): void {
  if (providerId !== null) handoff.providerId = providerId;
  if (did === 'asked') Object.assign(handoff, { asked: true, found: found ?? null });
  if (did === 'took') handoff.tookAt = at;
  if (did === 'repeated') handoff.repeated = true;
  if (did === 'refused') handoff.refused = true;
  if (did === 'unclear') handoff.unclear = true;
  if (did === 'answered') handoff.answeredAt = at;
  if (did === 'lost') handoff.lostAt = at;
}
