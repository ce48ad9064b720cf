/** Writes what a carrier saw to the history. */
import type { HistoryWriter } from '../history.js';
import type { CarrierRecord } from '../records.js';

/** The identity of a carrier, in all its records. */
export type CarrierName = Pick<CarrierRecord, 'carrier' | 'account' | 'channel'>;

/** `account`: if it is not that of the name. */
type Called = Pick<CarrierRecord, 'token' | 'to'> & Partial<Pick<CarrierRecord, 'account'>>;

/** One request for a message. */
export interface HandoffLog {
  did(what: CarrierRecord['did'], providerId?: string): void;
}

let handoffs = 0;

export function logHandoff(history: HistoryWriter, name: CarrierName, message: Called): HandoffLog {
  handoffs += 1;
  const handoff = handoffs;
  const log: HandoffLog = {
    did: (did, providerId) => void history.append({ type: 'carrier', handoff, did, ...name, ...message, providerId: providerId ?? null }),
  };
  log.did('received');
  return log;
}
