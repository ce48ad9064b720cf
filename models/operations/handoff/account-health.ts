/** The health of accounts that share a channel: one row each. Each worker writes it about once a second, independent of its load. */
import { type Database, select } from '../../db/database.js';
import { dueChange, probePauses } from '../../rules/routing/account-level.js';
import { column, recordset } from '../../tables/columns.js';

/** The calls of one worker since its last write. */
export interface CallCount {
  account: string;
  calls: number;
  bad: number;
}

/** The health of an account. */
export interface AccountHealth {
  account: string;
  level: number;
  /** Milliseconds until the next probe is due; null if none is needed. */
  probe_in_ms: number | null;
  /** Time since the last change of the level. */
  since_seconds: number;
}

/** A change that this call made. */
export interface NotedChange {
  account: string;
  from_level: number;
  to_level: number;
  reason: string;
}

interface Row extends AccountHealth {
  calls: number;
  bad: number;
  bad_in_a_row: number;
}

/**
 * Adds the counts, changes the levels that are due, and returns the health of all these accounts. If two workers see the same at the
 * same time, one of them makes the change.
 * @param counts of every account in question, including those without calls
 */
export async function noteCalls(
  db: Database,
  counts: readonly CallCount[],
  windowSeconds: number,
): Promise<{ healths: AccountHealth[]; changes: NotedChange[] }> {
  const rows = await select<Row>(db, note, [JSON.stringify(counts), windowSeconds]);
  const changes: NotedChange[] = [];
  for (const row of rows) {
    const due = dueChange({ ...row, badInARow: row.bad_in_a_row, sinceSeconds: row.since_seconds }, windowSeconds);
    if (due === null) continue;
    const change = { account: row.account, from_level: row.level, to_level: due.level, reason: due.reason };
    const bind = [row.account, row.level, due.level, due.reason, windowSeconds * probePauses.first];
    const changed = await select<{ probe_in_ms: number | null }>(db, changeLevel, bind);
    Object.assign(row, { level: due.level, probe_in_ms: changed[0]?.probe_in_ms ?? null, since_seconds: 0 });
    if (changed.length > 0) changes.push(change);
  }
  return {
    healths: rows.map(({ account, level, probe_in_ms, since_seconds }) => ({ account, level, probe_in_ms, since_seconds })),
    changes,
  };
}

/** SQL: the time since the window began, in windows. */
const windows = `(extract(epoch FROM now() - h.window_at)::double precision / $2::double precision)`;
/** SQL: calls within the last window: those of the present window, and the share of the previous one that is still within reach. */
const inWindow = (column: string) => `(h.${column} + h.earlier_${column} * GREATEST(0, 1 - ${windows}))`;

const countColumns = { account: column.text(), calls: column.integer(), bad: column.integer() };

const note = `
  WITH noted AS (
    INSERT INTO route_health AS h (account, calls, bad, bad_in_a_row)
    SELECT account, calls, bad, CASE WHEN calls > bad THEN 0 ELSE bad END FROM ${recordset('$1', 'c', countColumns)} ORDER BY account
    ON CONFLICT (account) DO UPDATE SET
      bad_in_a_row = CASE WHEN excluded.calls > excluded.bad THEN 0 WHEN ${windows} < 2 THEN h.bad_in_a_row + excluded.bad ELSE excluded.bad END,
      calls = CASE WHEN ${windows} < 1 THEN h.calls ELSE 0 END + excluded.calls,
      bad = CASE WHEN ${windows} < 1 THEN h.bad ELSE 0 END + excluded.bad,
      earlier_calls = CASE WHEN ${windows} < 1 THEN h.earlier_calls WHEN ${windows} < 2 THEN h.calls ELSE 0 END,
      earlier_bad = CASE WHEN ${windows} < 1 THEN h.earlier_bad WHEN ${windows} < 2 THEN h.bad ELSE 0 END,
      window_at = CASE WHEN ${windows} < 1 THEN h.window_at WHEN ${windows} < 2 THEN h.window_at + $2::double precision * interval '1 second' ELSE now() END
    RETURNING *
  )
  SELECT account, level, bad_in_a_row, ${inWindow('calls')} AS calls, ${inWindow('bad')} AS bad,
    extract(epoch FROM now() - changed_at)::double precision AS since_seconds,
    extract(epoch FROM probe_at - now())::double precision * 1000 AS probe_in_ms
  FROM noted h`;

const changeLevel = `
  WITH changed AS (
    UPDATE route_health SET level = $3::integer, changed_at = now(), window_at = now(), calls = 0, bad = 0, bad_in_a_row = 0,
      earlier_calls = 0, earlier_bad = 0,
      probe_pause = CASE WHEN $3::integer = 0 THEN $5::double precision END,
      probe_at = CASE WHEN $3::integer = 0 THEN now() + $5::double precision * interval '1 second' END
    WHERE account = $1 AND level = $2::integer
    RETURNING account, probe_at
  ), logged AS (
    INSERT INTO route_changes (account, from_level, to_level, reason) SELECT account, $2::integer, $3::integer, $4 FROM changed
  )
  SELECT extract(epoch FROM probe_at - now())::double precision * 1000 AS probe_in_ms FROM changed`;

/**
 * Claims the one call that an account at level 0 gets per pause. Each pause is twice as long as the one before.
 * @param channels that the account serves. The group must have a message for one of them
 * @returns false if another group has claimed it, or there is nothing to send
 */
export async function claimAccountProbe(
  db: Database,
  account: string,
  { groupId, channels, windowSeconds }: { groupId: string; channels: readonly string[]; windowSeconds: number },
): Promise<boolean> {
  return (await select(db, claim, [account, windowSeconds * probePauses.longest, groupId, channels])).length > 0;
}

const claim = `
  UPDATE route_health SET
    probe_pause = LEAST(2 * probe_pause, $2::double precision),
    probe_at = now() + LEAST(2 * probe_pause, $2::double precision) * interval '1 second'
  WHERE account = $1 AND level = 0 AND probe_at <= now()
    AND EXISTS (SELECT 1 FROM messages WHERE group_id = $3 AND status = 'queued' AND channel = ANY($4::text[]))
  RETURNING account`;
