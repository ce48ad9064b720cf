import type { Channel } from '../../channels.js';
import { type Database, select } from '../../db/database.js';
import type { Slot } from '../handoff/provider-pace.js';

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

/** Time of a batch that is wanted. */
export interface SlotsRequest {
  messages: number;
  /** Slots that begin later than this are not taken. */
  horizonMs: number;
}

/**
 * Reserves the time of so many messages at the batch's rate, for whichever page asks. Who comes a little late loses nothing of the
 * rate: at most one second, and one message.
 * @returns milliseconds until the batch has time; `isReserved` false: that is beyond the horizon, and nothing was reserved
 */
export async function reserveSlots(db: Database, batchId: string, { messages, horizonMs }: SlotsRequest): Promise<Slot> {
  const [slot] = await select<{ wait_ms: number; reserved: boolean }>(db, reserve, [batchId, messages, horizonMs / 1000]);
  return { waitMs: Math.max(0, slot?.wait_ms ?? 0), isReserved: slot?.reserved ?? true };
}

const nextSlot = `GREATEST(next_slot_at, clock_timestamp() - LEAST(1, 1 / rate) * interval '1 second')`;
const reserve = `
  WITH slot AS (
    SELECT id, rate, ${nextSlot} AS slot_at FROM batches WHERE id = $1 AND rate IS NOT NULL FOR UPDATE
  ), reserved AS (
    UPDATE batches b SET next_slot_at = slot.slot_at + $2::double precision / b.rate * interval '1 second' FROM slot
    WHERE b.id = slot.id AND slot.slot_at <= clock_timestamp() + $3::double precision * interval '1 second'
    RETURNING b.id
  )
  SELECT extract(epoch FROM slot_at - clock_timestamp())::double precision * 1000 AS wait_ms, EXISTS (SELECT 1 FROM reserved) AS reserved FROM slot`;

/** How many messages of a batch wait for their hand-off in pages before this one. */
export async function queuedBeforePage(db: Database, batchId: string, groupId: string): Promise<number> {
  const [row] = await select<{ queued: number }>(db, queuedBefore, [batchId, groupId]);
  return row?.queued ?? 0;
}

const queuedBefore = `
  SELECT count(*) AS queued FROM message_groups g JOIN messages m ON m.group_id = g.id AND m.status = 'queued'
  WHERE g.batch_id = $1 AND g.closed_at IS NULL AND g.page < (SELECT page FROM message_groups WHERE id = $2)`;
