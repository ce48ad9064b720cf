import { type Database, select } from '../../db/database.js';
import { microsOf, timeOfMicros } from '../../db/micros.js';
import type { AuditTarget, AuditType } from '../../rules/audit/audit-types.js';
import type { ActorType } from '../../rules/audit/origin.js';
import { lowestId } from '../../rules/values/id-time.js';
import { type Listed, type ListWindow, readWindow, type SortColumn } from '../../rules/values/list-window.js';
import { LargeCounts } from '../../flow/large-counts.js';

export interface AuditEvent {
  id: string;
  type: AuditType;
  at: Date;
  actor_type: ActorType;
  actor_id: string | null;
  actor_name: string | null;
  address: string | null;
  user_agent: string | null;
  request_id: string | null;
  target_type: AuditTarget;
  target_id: string;
  target_name: string | null;
  changes: Record<string, unknown> | null;
}

/** An undefined filter does not filter. */
export interface AuditFilters {
  types?: readonly string[] | undefined;
  actorType?: ActorType | undefined;
  actorId?: string | undefined;
  /** Both ends are included. */
  from?: Date | undefined;
  to?: Date | undefined;
}

/** The sort columns of the list. */
export const auditSort: readonly SortColumn[] = ['micros', 'id'];

const remembered = new LargeCounts();

/** A part of a workspace's audit events, newest first. */
export function listAuditEvents(db: Database, workspaceId: string, filters: AuditFilters, window: ListWindow): Promise<Listed<AuditEvent>> {
  const { types, actorType, actorId, from, to } = filters;
  const bind = [workspaceId, types ?? null, actorType ?? null, actorId ?? null, from ?? null, to ?? null];
  return readWindow<AuditEvent & { micros: number }>(window, {
    count: async () => (await select<{ total: number }>(db, countAll, bind))[0]?.total ?? 0,
    counting: remembered.of(...bind),
    find: ({ after, limit, offset }) =>
      after === null ? select(db, `${list} ${range}`, [...bind, limit, offset]) : select(db, listAfter, [...bind, limit, offset, ...after]),
    placeOf: ({ micros, id }) => [String(micros), id],
  });
}

/** The next audit events of a workspace, oldest first. @param after the last one of the page before; null: from the first one on */
export function auditEventsAfter(
  db: Database,
  workspaceId: string,
  { after, until, limit }: { after: { micros: number; id: string } | null; until: Date; limit: number },
): Promise<(AuditEvent & { micros: number })[]> {
  return select(db, listFrom, [workspaceId, after?.micros ?? 0, after?.id ?? lowestId, until, limit]);
}

// The index of the workspace rejects entries outside the bounds, so their rows are not read. Bounds of `at` alone would make PostgreSQL choose the
// index by time, which has the events of all workspaces.
const isFrom = (from: string) => `(workspace_id, at) >= ($1, COALESCE(${from}::timestamptz, '-infinity'))`;
// Times are stored to the microsecond and shown to the millisecond, so the last millisecond is included completely.
const isTo = (to: string) => `(workspace_id, at) < ($1, COALESCE(${to}::timestamptz + interval '1 millisecond', 'infinity'))`;
// It cannot use a comparison that a parameter can turn off. So a bound that is not given is infinite.
const filtered = `
  FROM audit_events WHERE workspace_id = $1 AND ($2::text[] IS NULL OR type = ANY($2)) AND ($3::text IS NULL OR actor_type = $3)
    AND ($4::uuid IS NULL OR actor_id = $4) AND ${isFrom('$5')} AND ${isTo('$6')}`;
const countAll = `SELECT count(*) AS total ${filtered}`;
const shown = `
  SELECT id, type, at, actor_type, actor_id, actor_name, address, user_agent, request_id, target_type, target_id, target_name, changes,
    ${microsOf('at')} AS micros`;
const list = `${shown} ${filtered}`;
const range = 'ORDER BY at DESC, id DESC LIMIT $7 OFFSET $8';
// A separate statement, for the same reason: a place has no infinite value.
const listAfter = `${list} AND (at, id) < (${timeOfMicros('$9')}, $10::uuid) ${range}`;
const listFrom = `
  ${shown} FROM audit_events
  WHERE workspace_id = $1 AND (at, id) > (${timeOfMicros('$2')}, $3::uuid) AND ${isTo('$4')}
  ORDER BY at, id LIMIT $5`;
