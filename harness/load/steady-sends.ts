/** Sends at a steady rate, without waiting for responses, to measure what a client sees under other load. */
import { formatPercentiles } from '../measure/figures.js';
import { type Percentiles, percentiles } from '../measure/pass.js';
import type { Sender } from './sender.js';
import { timetable } from './timetable.js';

export interface SteadySends extends Percentiles {
  sends: number;
  /** Skipped sends, because this process was too late. Sending them all at once would be a different load. */
  skipped: number;
  accepted: number;
  /** Sends without a 201 response. */
  failed: number;
  /** Number of responses by status; 0: no response. */
  statuses: ReadonlyMap<number, number>;
}

const delayMsMax = 100;

/** Sends at this rate for this many seconds. The times are those of accepted sends, in milliseconds. */
export async function steadySends(sender: Pick<Sender, 'post'>, seconds: number, perSecond = 20): Promise<SteadySends> {
  const times: number[] = [];
  const statuses = new Map<number, number>();
  const send = async (number: number) => {
    const startedAt = performance.now();
    const { status } = await sender.post(number).catch(() => ({ status: 0 }));
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status === 201) times.push(performance.now() - startedAt);
  };
  const open: Promise<void>[] = [];
  let skipped = 0;
  for await (const { number, delayMs } of timetable(seconds, perSecond)) {
    if (delayMs > delayMsMax) skipped += 1;
    else open.push(send(number));
  }
  await Promise.all(open);
  const sends = open.length;
  return { ...percentiles(times), sends, skipped, accepted: times.length, failed: sends - times.length, statuses };
}

/** A summary line. */
export const formatLatency = (of: SteadySends) =>
  `${formatPercentiles(of)} of ${of.sends} sends${of.failed === 0 ? '' : `, ${of.failed} FAILED`}`;
