/** Open event streams: the workspaces whose events are written for them, how many are open, and where each starts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { makeId } from '../../rules/values/make-id.js';
import { type Database, select } from '../../db/database.js';
import { newestSnapshot, type Position, type Snapshot } from '../../rules/streams/position.js';
import { withinQuota } from '../workspaces/within-quota.js';

/** How long a viewer can resume, and how long events are still written after an open stream was last renewed. */
const resumeMs = 3_600_000;
const graceMs = 600_000;
/** The row of a stream is renewed every `renewMs`; without it, the stream stops counting after `expiryMs`. */
export const renewMs = 30_000;
const expiryMs = 90_000;
/** A statement that began before the workspace was marked may write no event. It ends soon, because the statements of sends take milliseconds. */
const settleMsMax = 3_000;
const settlePollMs = 10;

export interface OpenedStream {
  id: string;
  /** Where the stream starts: at the viewer's position, or now. */
  position: Position;
  /** The viewer's position is older than an hour, or events were not written since then, so that some may be missing. */
  isReset: boolean;
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
    const [row] = await select<Mark>(db, markWorkspace, [workspaceId, resumeMs + graceMs], transaction);
    if (row === undefined) throw new Error('INSERT … ON CONFLICT DO UPDATE … RETURNING gave no row');
    return row;
  });
  if (marked.is_recent) await settle(db, marked.xid);
  const now = await currentPosition(db);
  const isKnown = resume !== null && (await isComplete(db, resume, marked.since, now));
  return { id, position: isKnown ? resume : now, isReset: resume !== null && !isKnown };
}

interface Mark {
  since: Date;
  /** The workspace was marked so recently that transactions may still run that saw it unmarked. */
  is_recent: boolean;
  /** The transaction that has just marked it. */
  xid: string;
}

const insertStream = `
  WITH gone AS (DELETE FROM open_streams WHERE workspace_id = $2 AND expires_at < now())
  INSERT INTO open_streams (id, workspace_id, expires_at) VALUES ($1, $2, now() + $3 * interval '1 millisecond')`;

const markWorkspace = `
  INSERT INTO streamed_workspaces AS s (workspace_id, since, until)
  VALUES ($1, clock_timestamp(), clock_timestamp() + $2 * interval '1 millisecond')
  ON CONFLICT (workspace_id) DO UPDATE SET until = EXCLUDED.until, since = CASE WHEN s.until < EXCLUDED.since THEN EXCLUDED.since ELSE s.since END
  RETURNING since, since > clock_timestamp() - interval '1 minute' AS is_recent, pg_current_xact_id()::text AS xid`;

/**
 * Waits until every statement that began before the mark was committed has ended, and every transaction that had written by then: it may have
 * seen the workspace unmarked between the number of the marking transaction and its commit. Sessions of other roles are ignored.
 * @param xid the transaction that marked the workspace, and has committed
 */
async function settle(db: Database, xid: string): Promise<void> {
  const deadline = Date.now() + settleMsMax;
  const [now] = await select<{ next: string }>(db, nextTransaction);
  while (Date.now() < deadline) {
    const [row] = await select<{ is_settled: boolean }>(db, isSettled, [xid, now?.next]);
    if (row?.is_settled === true) return;
    await sleep(settlePollMs);
  }
}

/** A number after those of all transactions that have written. The end of a snapshot is none: it comes after those that have ended only. */
const nextTransaction = 'SELECT pg_current_xact_id()::text AS next';
const isSettled = `
  SELECT NOT EXISTS (
    SELECT 1 FROM pg_stat_activity a
    WHERE a.datname = current_database() AND a.pid <> pg_backend_pid() AND a.backend_type = 'client backend'
      AND (age(a.backend_xmin) >= age($1::xid8::xid) OR age(a.backend_xid) > age($2::xid8::xid))) AS is_settled`;

async function currentPosition(db: Database): Promise<Position> {
  const [row] = await select<{ at: Date; seen: Snapshot }>(db, 'SELECT clock_timestamp() AS at, pg_current_snapshot()::text AS seen');
  if (row === undefined) throw new Error('SELECT without FROM gave no row');
  return { ...row, reading: null };
}

/** Whether every event since this position was written. A snapshot from the future belongs to a database that was restored to an earlier moment. */
async function isComplete(db: Database, position: Position, since: Date, now: Position): Promise<boolean> {
  const at = position.at.getTime();
  if (at < since.getTime() || at < now.at.getTime() - resumeMs || at > now.at.getTime()) return false;
  const sql = 'SELECT pg_snapshot_xmax($1::pg_snapshot) <= pg_snapshot_xmax($2::pg_snapshot) AS is_past';
  const [row] = await select<{ is_past: boolean }>(db, sql, [newestSnapshot(position), now.seen]);
  return row?.is_past === true;
}

/** Renews open streams. Their events are written for another hour. */
export async function renewStreams(db: Database, streams: readonly { id: string; workspaceId: string }[]): Promise<void> {
  const rows = streams.map(({ id, workspaceId }) => ({ id, workspace_id: workspaceId }));
  await select(db, renew, [JSON.stringify(rows), expiryMs, resumeMs + graceMs]);
}

// Missing rows are inserted again: a process that could not reach the database for minutes still has its streams.
const renew = `
  WITH given AS (SELECT id, workspace_id FROM json_to_recordset($1::json) AS g (id uuid, workspace_id uuid)), renewed AS (
    INSERT INTO open_streams (id, workspace_id, expires_at)
    SELECT id, workspace_id, now() + $2 * interval '1 millisecond' FROM given ORDER BY id
    ON CONFLICT (id) DO UPDATE SET expires_at = EXCLUDED.expires_at
  ), marked AS (
    SELECT workspace_id FROM streamed_workspaces WHERE workspace_id IN (SELECT workspace_id FROM given) ORDER BY workspace_id FOR UPDATE
  )
  UPDATE streamed_workspaces s SET until = clock_timestamp() + $3 * interval '1 millisecond' FROM marked WHERE s.workspace_id = marked.workspace_id`;

/** Deletes a stream that has ended. */
export async function forgetStream(db: Database, id: string): Promise<void> {
  await select(db, 'DELETE FROM open_streams WHERE id = $1', [id]);
}
