/**
 * The watcher's queue of groups. Every open group has the time of its next check (`look_at`). A caller that takes groups holds them for the
 * time of a lease, so that several can work in parallel, and the groups of a dead process are taken again.
 */
import type { Channel } from '../../channels.js';
import { type Database, select, selectIds } from '../../db/database.js';
import type { GroupState } from '../../rules/messages/group-check.js';
import { isAwaitingReport, isOpen } from '../../rules/messages/status.js';
import { column, recordset } from '../../tables/columns.js';
import { firstExpiry } from '../handoff/expire-waiting.js';
import { fenceMessages } from '../messages/fence-messages.js';
import { isCancellable } from '../messages/cancel-messages.js';

/** A group with the data that the start of its workflow needs. */
export interface DrivableGroup {
  groupId: string;
  workflowId: string;
  batchId: string | null;
  channel: Channel;
  /** Null if the messages belong to several workspaces. */
  workspaceId: string | null;
  /** The messages that share the group; empty for a single message and for a page. */
  messageIds: string[];
  /** For a message with a fallback. */
  fallbackAfterMs: number | null;
}

/** A group that is due for a check. */
export interface DueGroup extends DrivableGroup, GroupState {
  /** A single message that was never handed off and has no chain. It can be moved into a new group together with others. */
  isGatherable: boolean;
}

/** The time for the work on a page of groups. After it they are due again. */
const leaseSeconds = 45;
/** A hand-off attempt this recent shows that a workflow drives the group. */
const triedLatelySeconds = 120;

/** Takes the groups that are due for a check, in the order of their due times, with their state. */
export function takeDueGroups(db: Database, limit: number): Promise<DueGroup[]> {
  return select(db, take, [limit, leaseSeconds, triedLatelySeconds]);
}

/** The pages of a batch that have messages to hand off. */
export function queuedPages(db: Database, batchId: string): Promise<DrivableGroup[]> {
  return select(db, ofBatch, [batchId]);
}

const drivable = `
  g.id AS "groupId", g.workflow_id AS "workflowId", g.batch_id AS "batchId", w.channel, w."workspaceId", w."messageIds",
  (SELECT (f.steps -> 0 ->> 'after')::integer * 1000 FROM fallbacks f WHERE f.message_id = g.id) AS "fallbackAfterMs"`;

const ofMessages = `
  min(m.channel) AS channel, CASE WHEN min(m.workspace_id::text) = max(m.workspace_id::text) THEN min(m.workspace_id::text) END AS "workspaceId",
  CASE WHEN g.batch_id IS NULL AND count(*) > 1 THEN array_agg(m.id::text ORDER BY m.id) ELSE '{}' END AS "messageIds"`;

const milliseconds = (interval: string) => `(extract(epoch FROM ${interval}) * 1000)::double precision`;

// Skips locked rows: the transaction that holds a group's row is working on the group.
const take = `
  WITH g AS (
    UPDATE message_groups SET look_at = now() + $2 * interval '1 second'
    WHERE id IN (
      SELECT id FROM message_groups WHERE closed_at IS NULL AND look_at <= now() ORDER BY look_at LIMIT $1 FOR UPDATE SKIP LOCKED
    )
    RETURNING id, workflow_id, batch_id
  )
  SELECT ${drivable}, w.accepting, w.due, w."dueInMs", w.awaiting, COALESCE(w."awaitedMs", 0) AS "awaitedMs",
    (SELECT b.status FROM batches b WHERE b.id = g.batch_id) AS "batchStatus",
    (SELECT ${milliseconds(`${firstExpiry('g.id')} - now()`)} FROM batches b WHERE b.id = g.batch_id AND b.status = 'paused') AS "pausedExpiryInMs",
    g.batch_id IS NULL AND EXISTS (
      SELECT 1 FROM messages m JOIN send_attempts a ON a.message_id = m.id
      WHERE m.group_id = g.id AND m.status = 'queued' AND a.started_at > now() - $3 * interval '1 second'
    ) AS "triedLately",
    g.batch_id IS NULL AND w."isUnclaimed"
      AND NOT EXISTS (SELECT 1 FROM fallbacks f WHERE f.message_id = g.id) AND NOT EXISTS (SELECT 1 FROM fallbacks f WHERE f.next_id = g.id)
      AND NOT EXISTS (SELECT 1 FROM send_attempts a WHERE a.message_id = g.id) AS "isGatherable"
  FROM g CROSS JOIN LATERAL (
    SELECT ${ofMessages},
      bool_and(m.id = g.id AND ${isCancellable}) AS "isUnclaimed",
      count(*) FILTER (WHERE m.status = 'accepting') AS accepting,
      count(*) FILTER (WHERE m.status = 'queued' AND (m.scheduled_at IS NULL OR m.scheduled_at <= now())) AS due,
      ${milliseconds(`min(m.scheduled_at) FILTER (WHERE m.status = 'queued' AND m.scheduled_at > now()) - now()`)} AS "dueInMs",
      count(*) FILTER (WHERE ${isAwaitingReport('m')}) AS awaiting,
      ${milliseconds(`now() - min(m.sent_at) FILTER (WHERE ${isAwaitingReport('m')})`)} AS "awaitedMs"
    FROM messages m WHERE m.group_id = g.id
  ) w`;

const ofBatch = `
  SELECT ${drivable}
  FROM message_groups g CROSS JOIN LATERAL (
    SELECT ${ofMessages}, bool_or(m.status = 'queued') AS waits FROM messages m WHERE m.group_id = g.id
  ) w
  WHERE g.batch_id = $1 AND g.closed_at IS NULL AND w.waits ORDER BY g.page`;

/** Sets the next checks of groups. */
export async function scheduleChecks(db: Database, checks: readonly { groupId: string; checkInMs: number }[]): Promise<void> {
  if (checks.length > 0) await select(db, again, [JSON.stringify(checks)]);
}

// A locked row keeps its lease, and is checked again when that ends.
const again = `
  UPDATE message_groups g SET look_at = now() + held.wait_ms * interval '1 millisecond'
  FROM (
    SELECT g.id, l."checkInMs" AS wait_ms FROM ${recordset('$1', 'l', { groupId: column.uuid(), checkInMs: column.double() })}
    JOIN message_groups g ON g.id = l."groupId" FOR UPDATE OF g SKIP LOCKED
  ) held
  WHERE g.id = held.id`;

/** Closes groups without open messages, whose workflows were lost before they could close them. */
export async function closeDoneGroups(db: Database, groupIds: readonly string[]): Promise<void> {
  if (groupIds.length > 0) await select(db, close, [groupIds]);
}

const close = `
  UPDATE message_groups SET closed_at = now()
  WHERE id IN (
    SELECT g.id FROM message_groups g
    WHERE g.id = ANY($1::uuid[]) AND g.closed_at IS NULL AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.group_id = g.id AND ${isOpen('m')})
    FOR UPDATE SKIP LOCKED
  )`;

/** Deletes the undecided messages of these groups; see `fenceMessages`. @returns how many */
export async function fenceGroups(db: Database, groupIds: readonly string[]): Promise<number> {
  if (groupIds.length === 0) return 0;
  const sql = `SELECT id FROM messages WHERE group_id = ANY($1::uuid[]) AND status = 'accepting' ORDER BY id`;
  const ids = await selectIds(db, sql, [groupIds]);
  return ids.length === 0 ? 0 : (await fenceMessages(db, ids)).length;
}

/** Makes groups due for a check in the next watcher run, within 30 seconds. @returns how many of them are still open */
export async function makeDue(db: Database, groupIds: readonly string[]): Promise<number> {
  return (await select(db, dueNow, [groupIds])).length;
}

const dueNow = `
  UPDATE message_groups SET look_at = now()
  WHERE id IN (SELECT id FROM message_groups WHERE id = ANY($1::uuid[]) AND closed_at IS NULL ORDER BY id FOR NO KEY UPDATE) RETURNING id`;
