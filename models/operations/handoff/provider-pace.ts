/** The time of provider accounts. It is reserved in slots, so that all workers together call no account faster than its limit. */
import { type Database, select } from '../../db/database.js';
import { type Choices, routeOf } from './claim-handoffs.js';
import { isDue } from './refuse-queued.js';
import { bindOf, mayBeCalled, type UncertainWaits } from './uncertain-handoffs.js';

/** What a round of hand-offs would need of an account. */
export interface DueUnits {
  account: string;
  messages: number;
  /** The number of messages; for sms their segments, because providers count those. */
  units: number;
}

/**
 * The units that the next round of a group needs, at the accounts that `claimHandoffs` would choose. Unlike `claimHandoffs`, also counts messages
 * that have expired, must not be sent, or wait for an account that is not called now. So a round may reserve more time than it uses.
 */
export const dueUnits = (
  db: Database,
  groupId: string,
  choices: Choices,
  { limit, except, waits }: { limit: number; except: readonly string[]; waits: UncertainWaits },
): Promise<DueUnits[]> => select(db, due, [groupId, JSON.stringify(choices), limit, except, ...bindOf(waits)]);

const due = `
  SELECT route.account, count(*) AS messages, sum(GREATEST(segments, 1)) AS units FROM (
    SELECT id, channel, segments FROM messages m
    WHERE group_id = $1 AND status = 'queued' AND ${isDue} AND id <> ALL($4::uuid[]) AND ${mayBeCalled(5)}
    ORDER BY id LIMIT $3
  ) due, ${routeOf('$2')}
  GROUP BY route.account`;

/** A request for time of an account. */
export interface SlotRequest {
  account: string;
  units: number;
  perSecond: number;
  /** No slot is reserved that begins later than this. */
  horizonMs: number;
}

export interface Slot {
  /** Milliseconds until the slot begins. */
  waitMs: number;
  /** False: that is beyond the horizon, and nothing was reserved. */
  isReserved: boolean;
}

/** Reserves time for a number of units, after all earlier reservations and holds. */
export async function reserveSlot(db: Database, { account, units, perSecond, horizonMs }: SlotRequest): Promise<Slot> {
  const [slot] = await select<{ wait_ms: number; reserved: boolean }>(db, reserve, [account, units, horizonMs / 1000, perSecond]);
  return { waitMs: Math.max(0, slot?.wait_ms ?? 0), isReserved: slot?.reserved ?? false };
}

/**
 * SQL: when the reserved time ends. After the limit was raised, the last slot is as short as the present limit makes it: otherwise a slot from a
 * very low limit would block the account for hours.
 */
const reservedUntil = `p.next_slot_at + LEAST(p.last_units * (1 / $4::double precision - 1 / p.last_per_second), 0) * interval '1 second'`;
const slotOf = `GREATEST(${reservedUntil}, p.held_until, clock_timestamp())`;
const length = `$2::double precision / $4::double precision * interval '1 second'`;
const reserve = `
  WITH reserved AS (
    INSERT INTO provider_pace AS p (provider, next_slot_at, last_units, last_per_second)
    VALUES ($1, clock_timestamp() + ${length}, $2::double precision, $4::double precision)
    ON CONFLICT (provider) DO UPDATE SET next_slot_at = ${slotOf} + ${length}, last_units = excluded.last_units, last_per_second = excluded.last_per_second
      WHERE ${slotOf} <= clock_timestamp() + $3::double precision * interval '1 second'
    RETURNING next_slot_at - ${length} AS slot_at
  ), slot AS (
    SELECT slot_at, true AS reserved FROM reserved
    UNION ALL SELECT ${slotOf}, false FROM provider_pace p WHERE provider = $1 AND NOT EXISTS (SELECT 1 FROM reserved)
  )
  SELECT extract(epoch FROM slot_at - clock_timestamp())::double precision * 1000 AS wait_ms, reserved FROM slot`;

/** Sets a hold: the account gets no calls for a time. A longer hold stays. */
export async function holdAccount(db: Database, account: string, forMs: number): Promise<void> {
  await select(db, hold, [account, forMs]);
}

const hold = `
  INSERT INTO provider_pace AS p (provider, held_until) VALUES ($1, now() + $2::double precision * interval '1 millisecond')
  ON CONFLICT (provider) DO UPDATE SET held_until = GREATEST(p.held_until, excluded.held_until)`;

/** The accounts with a hold, and how many milliseconds of it are left. */
export const heldAccounts = (db: Database): Promise<{ account: string; left_ms: number }[]> => select(db, held);

const held = `
  SELECT provider AS account, extract(epoch FROM held_until - now())::double precision * 1000 AS left_ms FROM provider_pace WHERE held_until > now()`;
