/** Reads the events that became visible between two snapshots. Each event is read once, however late its transaction commits. */
import { type Database, select } from '../../db/database.js';
import type { EventType } from '../../rules/webhooks/events.js';
import type { Snapshot } from '../../rules/streams/position.js';

/** An event in its stored form for webhooks. */
export interface StreamedEvent {
  workspace_id: string;
  seq: number;
  type: EventType;
  body: string;
}

/** Events that are visible in the snapshot `until` and not in `seen`; at most a page of them, after the number `after`. */
export interface Stretch {
  seen: Snapshot;
  until: Snapshot;
  after: number;
}

/** The maximum number of events of one statement. An event has up to 6 kB. */
export const pageSize = 500;

/**
 * The new events of many workspaces, and the snapshot in which they are visible. The events of one message are in the order of its
 * statuses: a status is recorded under the lock of its message, so its event has a higher number than the earlier ones, and becomes visible
 * later or together with them.
 * @param workspaceIds empty: only the snapshot is read
 * @param seen any snapshot if there are no workspaces
 */
export async function readNewEvents(
  db: Database,
  workspaceIds: readonly string[],
  seen: Snapshot,
): Promise<{ at: Date; until: Snapshot; events: StreamedEvent[] }> {
  const rows = await select<StreamedEvent & { at: Date; until: Snapshot }>(db, newEvents, [workspaceIds, seen]);
  const [first] = rows;
  if (first === undefined) throw new Error('the outer join gave no row');
  return { at: first.at, until: first.until, events: first.seq === null ? [] : rows };
}

/** The next page of a stretch of one workspace. */
export function readEvents(db: Database, workspaceId: string, { seen, until, after }: Stretch): Promise<StreamedEvent[]> {
  return select<StreamedEvent>(db, eventsBetween, [workspaceId, seen, until, after]);
}

/** The next page of a stretch of many workspaces. The stretch is as short as the time between two reads. */
export function readMoreEvents(db: Database, workspaceIds: readonly string[], { seen, until, after }: Stretch): Promise<StreamedEvent[]> {
  return select<StreamedEvent>(db, moreEvents, [workspaceIds, seen, until, after]);
}

/** The number before the first event of a stretch of one workspace; null if there is none. */
export async function startOfStretch(db: Database, workspaceId: string, { seen, until }: Omit<Stretch, 'after'>): Promise<number | null> {
  const [row] = await select<{ first: number | null }>(db, firstBetween, [workspaceId, seen, until]);
  return row === undefined || row.first === null ? null : row.first - 1;
}

/**
 * SQL: the events that are not visible in a snapshot. The bounds are conditions of the indexes. After a dump was loaded into another
 * server, its transaction numbers have no meaning there, so older events are left out. Erased events have no body.
 */
const isUnseen = (seen: string) => `
  e.streamed_in >= pg_snapshot_xmin(${seen}::pg_snapshot) AND NOT pg_visible_in_snapshot(e.streamed_in, ${seen}::pg_snapshot)
  AND e.created_at > clock_timestamp() - interval '2 hours' AND e.body IS NOT NULL`;
const isSeen = (until: string) =>
  `e.streamed_in < pg_snapshot_xmax(${until}::pg_snapshot) AND pg_visible_in_snapshot(e.streamed_in, ${until}::pg_snapshot)`;

const columns = 'e.workspace_id, e.seq, e.type, e.body';
/** The size of a page is written out, because the planner would assume that a parameter selects a tenth of the table. */
const ofPage = `ORDER BY e.seq LIMIT ${pageSize}`;

// One statement has one snapshot, so the events that it finds are those that are visible in it.
const newEvents = `
  SELECT now.at, now.until, page.* FROM (SELECT clock_timestamp() AS at, pg_current_snapshot()::text AS until) now
  LEFT JOIN LATERAL (
    SELECT ${columns} FROM events e WHERE e.workspace_id = ANY($1::uuid[]) AND ${isUnseen('$2')} ${ofPage}
  ) page ON true
  ORDER BY page.seq`;

const moreEvents = `
  SELECT ${columns} FROM events e
  WHERE e.workspace_id = ANY($1::uuid[]) AND ${isUnseen('$2')} AND ${isSeen('$3')} AND e.seq > $4 ${ofPage}`;

const eventsBetween = `
  SELECT ${columns} FROM events e WHERE e.workspace_id = $1 AND ${isUnseen('$2')} AND ${isSeen('$3')} AND e.seq > $4 ${ofPage}`;

// The inner SELECT keeps the planner from scanning all events of the workspace in the order of their numbers.
const firstBetween = `
  SELECT min(seq) AS first FROM (SELECT e.seq FROM events e WHERE e.workspace_id = $1 AND ${isUnseen('$2')} AND ${isSeen('$3')} OFFSET 0) stretch`;
