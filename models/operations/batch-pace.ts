import type { Channel } from '../config.js';
import { type Database, select } from '../database.js';

/** How a page may go on. */
export interface Pace {
  cancelled: boolean;
  /** Messages a second; null: as fast as the provider takes them. */
  rate: number | null;
  channel: Channel | null;
}

/** The batch's state as a page needs it before a round of hand-offs. */
export async function batchPace(db: Database, batchId: string): Promise<Pace> {
  const [pace] = await select<Pace>(db, `SELECT status = 'cancelled' AS cancelled, rate, channel FROM batches WHERE id = $1`, [batchId]);
  return pace ?? { cancelled: true, rate: null, channel: null };
}

/**
 * Reserves the time of so many messages at the batch's rate, for whichever page asks.
 * @returns milliseconds until the reserved time begins
 */
export async function reserveSlots(db: Database, batchId: string, messages: number): Promise<number> {
  const [slot] = await select<{ wait_ms: number }>(db, reserve, [batchId, messages]);
  return Math.max(0, slot?.wait_ms ?? 0);
}

const reserve = `
  UPDATE batches b SET next_slot_at = GREATEST(old.next_slot_at, now()) + $2 / b.rate * interval '1 second'
  FROM (SELECT id, next_slot_at FROM batches WHERE id = $1 FOR UPDATE) old
  WHERE b.id = old.id AND b.rate IS NOT NULL
  RETURNING extract(epoch FROM GREATEST(old.next_slot_at, now()) - now())::double precision * 1000 AS wait_ms`;
