/** Sends at a steady rate, whether or not the answers keep up: what a client sees while something else goes on. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Percentiles, percentiles } from './pass.js';
import type { Sender } from './sender.js';

export interface SteadySends extends Percentiles {
  sends: number;
  /** Those that were not answered 201. */
  failed: number;
}

const everyMs = 50;

/** Twenty sends a second for so long; the time of each answer in milliseconds. */
export async function steadySends(sender: Sender, seconds: number): Promise<SteadySends> {
  const times: number[] = [];
  let failed = 0;
  const send = async (number: number) => {
    const startedAt = performance.now();
    const { status } = await sender.post(number).catch(() => ({ status: 0 }));
    times.push(performance.now() - startedAt);
    if (status !== 201) failed += 1;
  };
  const startedAt = performance.now();
  const sends = (seconds * 1000) / everyMs;
  const open: Promise<void>[] = [];
  for (let number = 0; number < sends; number += 1) {
    await sleep(Math.max(0, startedAt + number * everyMs - performance.now()));
    open.push(send(number));
  }
  await Promise.all(open);
  return { ...percentiles(times), sends, failed };
}

const ms = (value: number) => `${value.toFixed(0)} ms`;

/** One line about them. */
export const told = ({ p50, p95, p99, sends, failed }: SteadySends) =>
  `p50 ${ms(p50)}, p95 ${ms(p95)}, p99 ${ms(p99)} of ${sends} sends${failed === 0 ? '' : `, ${failed} FAILED`}`;
