/** Open event streams: the workspaces whose events are written for them, how many are open, and where each starts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { makeId } from '../../rules/values/make-id.js';
import { type Database, select, selectOne } from '../../db/database.js';
import { newestSnapshot, type Position, type Snapshot } from '../../rules/streams/position.js';
import { column, recordset } from '../../tables/columns.js';
import { withinQuota } from '../workspaces/within-quota.js';

/** How long a viewer can resume. Events are written for `graceMs` longer after an open stream was last renewed. */
const resumeMs = 3_600_000;
const graceMs = 600_000;
/** The row of a stream is renewed every `renewMs`; without it, the stream stops counting after `expiryMs`. */
export const renewMs = 30_000;
const expiryMs = 90_000;
/**
 * A mark that ends within this time counts as ended. Others see a renewal only after its commit, and may see the old end pass before. The time is
 * longer than a transaction can stay open after its last statement. Positions from before the last renewal of such a mark are too old anyway.
 */
const lapseMs = 60_000;
/**
 * A transaction that began before the workspace was marked may write no event. It ends soon, because sends take milliseconds and pages of batches a
 * second. One that has written nothing so far is probably a long read, such as a backup.
 */
const settleMsMax = { writes: 15_000, reads: 3_000 };
const settlePollMs = 10;

export interface OpenedStream {
  id: string;
  /** Where the stream starts: at the viewer's position, or now. */
  position: Position;
  /** The viewer's position is older than an hour, or events were not written since then, so that some may be missing. */
  isReset: boolean;
  /** Every event of the workspace since then was written. */
  since: Date;
}

export interface StreamRequest {
  workspaceId: string;
  /** The position up to which the viewer has received events; null: it starts now. */
  resume: Position | null;
  /** How many open streams the workspace can have. */
  max: number;
}

/**
 * Opens a stream. Every event of the workspace after the returned position is written.
 * @throws AppError limit_reached if the workspace has the maximum number of streams
 */
export async function openStream(db: Database, { workspaceId, resume, max }: StreamRequest): Promise<OpenedStream> {
  const id = makeId();
  const marked = await withinQuota(db, { workspaceId, of: 'streams', max }, async (transaction) => {
    await select(db, insertStream, [id, workspaceId, expiryMs], transaction);
    return selectOne<Mark>(db, markWorkspaces, [[workspaceId], resumeMs + graceMs, lapseMs], transaction);
  });
  if (marked.is_recent) await settle(db);
  const now = await currentPosition(db);
  const isKnown = resume !== null && (await isComplete(db, resume, marked.since, now));
  return { id, position: isKnown ? resume : now, isReset: resume !== null && !isKnown, since: marked.since };
}

interface Mark {
  workspace_id: string;
  since: Date;
  /** The workspace was marked so recently that transactions may still run that saw it unmarked. */
  is_recent: boolean;
}

const insertStream = `
  WITH gone AS (DELETE FROM open_streams WHERE workspace_id = $2 AND expires_at < now())
  INSERT INTO open_streams (id, workspace_id, expires_at) VALUES ($1, $2, now() + $3 * interval '1 millisecond')`;

const markWorkspaces = `
  INSERT INTO streamed_workspaces AS s (workspace_id, since, until)
  SELECT id, clock_timestamp(), clock_timestamp() + $2 * interval '1 millisecond' FROM workspaces WHERE id = ANY($1::uuid[]) ORDER BY id
  ON CONFLICT (workspace_id) DO UPDATE SET until = EXCLUDED.until,
    -- By the clock after the wait for the row, not by the one before it.
    since = CASE WHEN s.until < clock_timestamp() + $3 * interval '1 millisecond' THEN clock_timestamp() ELSE s.since END
  RETURNING workspace_id, since, since > clock_timestamp() - interval '1 minute' AS is_recent`;

/**
 * Waits until every statement and every writing transaction that is in progress now, after the workspace was marked, has ended. Sessions of
 * other roles are ignored. Numbers of transactions would not tell them apart: one that saw no mark may have got its number after the one
 * that set it.
 */
async function settle(db: Database): Promise<void> {
  const since = performance.now();
  let open = await inProgress(db);
  while ([...open.values()].some((writes) => performance.now() - since < (writes ? settleMsMax.writes : settleMsMax.reads))) {
    await sleep(settlePollMs);
    const still = await inProgress(db);
    open = new Map([...still].filter(([name]) => open.has(name)));
  }
}

/** The transactions in progress, and whether each has written. */
async function inProgress(db: Database): Promise<Map<string, boolean>> {
  const found = await select<{ name: string; writes: boolean }>(db, transactionsInProgress);
  return new Map(found.map(({ name, writes }) => [name, writes]));
}

// Between two statements, a transaction that has written nothing has neither. Its next statement sees the mark.
const transactionsInProgress = `
  SELECT concat(pid, ' ', extract(epoch FROM xact_start)) AS name, backend_xid IS NOT NULL AS writes FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
    AND (backend_xid IS NOT NULL OR backend_xmin IS NOT NULL)`;

async function currentPosition(db: Database): Promise<Position> {
  const sql = 'SELECT clock_timestamp() AS at, pg_current_snapshot()::text AS seen';
  return { ...(await selectOne<{ at: Date; seen: Snapshot }>(db, sql)), reading: null };
}

/** Whether every event since this position was written. A snapshot from the future belongs to a database that was restored to an earlier moment. */
async function isComplete(db: Database, position: Position, since: Date, now: Position): Promise<boolean> {
  const at = position.at.getTime();
  if (at < since.getTime() || at < now.at.getTime() - resumeMs || at > now.at.getTime()) return false;
  const sql = 'SELECT pg_snapshot_xmax($1::pg_snapshot) <= pg_snapshot_xmax($2::pg_snapshot) AS is_past';
  return (await selectOne<{ is_past: boolean }>(db, sql, [newestSnapshot(position), now.seen])).is_past;
}

/** A stream that is open, and since when every event was written for it, as far as its process knows. */
export interface KnownStream {
  options: { id: string; workspaceId: string };
  since: Date;
}

/**
 * Renews open streams. Their events are written for another 70 minutes.
 * @returns the streams that may have missed events, because the mark of their workspace lapsed before a process could renew it. Each has the
 *   time since which all events are written again
 */
export async function renewStreams<Stream extends KnownStream>(
  db: Database,
  streams: readonly Stream[],
): Promise<{ stream: Stream; since: Date }[]> {
  const rows = streams.map(({ options: { id, workspaceId } }) => ({ id, workspace_id: workspaceId }));
  await select(db, renew, [JSON.stringify(rows), expiryMs]);
  const workspaceIds = [...new Set(rows.map(({ workspace_id }) => workspace_id))];
  const marks = await select<Mark>(db, markWorkspaces, [workspaceIds, resumeMs + graceMs, lapseMs]);
  const sinceOf = new Map(marks.map(({ workspace_id, since }) => [workspace_id, since]));
  const missed = streams.flatMap((stream) => {
    const since = sinceOf.get(stream.options.workspaceId);
    return since !== undefined && since > stream.since ? [{ stream, since }] : [];
  });
  if (missed.length > 0) await settle(db);
  return missed;
}

// Missing rows are inserted again: a process that could not reach the database for minutes still has its streams.
const renew = `
  INSERT INTO open_streams (id, workspace_id, expires_at)
  SELECT id, workspace_id, now() + $2 * interval '1 millisecond' FROM ${recordset('$1', 'g', { id: column.uuid(), workspace_id: column.uuid() })} ORDER BY id
  ON CONFLICT (id) DO UPDATE SET expires_at = EXCLUDED.expires_at`;

/** Deletes a stream that has ended. */
export async function deleteStream(db: Database, id: string): Promise<void> {
  await select(db, 'DELETE FROM open_streams WHERE id = $1', [id]);
}
