import type { Channel } from '../../channels.js';
import { type Database, select, selectOne } from '../../db/database.js';
import type { Slot } from '../handoff/provider-pace.js';

/** Whether and how fast a page may continue. */
export interface BatchPace {
  cancelled: boolean;
  paused: boolean;
  /** Messages a second; null: as fast as the provider takes them. */
  rate: number | null;
  channel: Channel | null;
}

/** SQL: the rate, but not so close to 0 that there is no number or no time for the wait: at least one message in twelve days. */
const usedRate = 'GREATEST(rate, 1e-6)';

/** The state of a batch, as a page needs it before a round of hand-offs. */
export async function batchPace(db: Database, batchId: string): Promise<BatchPace> {
  const [pace] = await select<BatchPace>(db, paceOf, [batchId]);
  return pace ?? { cancelled: true, paused: false, rate: null, channel: null };
}

const paceOf = `
  SELECT status = 'cancelled' AS cancelled, status = 'paused' AS paused, CASE WHEN rate IS NOT NULL THEN ${usedRate} END AS rate, channel
  FROM batches WHERE id = $1`;

/** A request for time at the rate of a batch. */
export interface SlotsRequest {
  messages: number;
  /** No slot is reserved that begins later than this. */
  horizonMs: number;
}

/**
 * Reserves time for a number of messages at the batch's rate. All its pages share that rate. A page that is late by less than a second catches
 * up, by at most the time of one message. Otherwise the rate loses a little by each wait. A batch that begins or is resumed has nothing to
 * catch up.
 * @returns milliseconds until the slot begins. `isReserved` false: that is beyond the horizon, and nothing was reserved
 */
export async function reserveSlots(db: Database, batchId: string, { messages, horizonMs }: SlotsRequest): Promise<Slot> {
  const [slot] = await select<{ wait_ms: number; reserved: boolean }>(db, reserve, [batchId, messages, horizonMs / 1000]);
  return { waitMs: Math.max(0, slot?.wait_ms ?? 0), isReserved: slot?.reserved ?? true };
}

const nextSlot = `
  CASE WHEN next_slot_at < clock_timestamp() - interval '1 second' THEN clock_timestamp()
    ELSE GREATEST(next_slot_at, clock_timestamp() - LEAST(1, 1 / ${usedRate}) * interval '1 second') END`;
const reserve = `
  WITH slot AS (
    SELECT id, ${usedRate} AS rate, ${nextSlot} AS slot_at FROM batches WHERE id = $1 AND rate IS NOT NULL FOR UPDATE
  ), reserved AS (
    UPDATE batches b SET next_slot_at = slot.slot_at + $2::double precision / slot.rate * interval '1 second' FROM slot
    WHERE b.id = slot.id AND slot.slot_at <= clock_timestamp() + $3::double precision * interval '1 second'
    RETURNING b.id
  )
  SELECT extract(epoch FROM slot_at - clock_timestamp())::double precision * 1000 AS wait_ms, EXISTS (SELECT 1 FROM reserved) AS reserved FROM slot`;

/** How many messages of a batch wait for their hand-off in earlier pages. */
export async function queuedBeforePage(db: Database, batchId: string, groupId: string): Promise<number> {
  return (await selectOne<{ queued: number }>(db, queuedBefore, [batchId, groupId])).queued;
}

const queuedBefore = `
  SELECT count(*) AS queued FROM message_groups g JOIN messages m ON m.group_id = g.id AND m.status = 'queued'
  WHERE g.batch_id = $1 AND g.closed_at IS NULL AND g.page < (SELECT page FROM message_groups WHERE id = $2)`;
