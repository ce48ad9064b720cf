import type { UrgentWork } from './give-way.js';

export interface Rest {
  /** Work of this length needs no rest. Default: 0 */
  usualMs?: number;
  /** The rest is this many times the time above `usualMs`. */
  share: number;
  msMax: number;
}

/**
 * How long a workspace rests after its work while single messages are sent; otherwise it does not rest. For `restMsAfter` of a concurrency limit.
 * @param sends single messages that are being accepted
 */
export const restBesideSends =
  (sends: Pick<UrgentWork, 'isRecent'>, { usualMs = 0, share, msMax }: Rest) =>
  (workMs: number): number =>
    sends.isRecent ? Math.min(share * Math.max(0, workMs - usualMs), msMax) : 0;
