import { type Database, select } from '../../db/database.js';
import { type Place, writeCursor } from '../../rules/audit/cursor.js';
import type { AuditType } from '../../rules/audit/audit-types.js';
import type { ActorType } from '../../rules/audit/origin.js';

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
  target_type: string | null;
  target_id: string | null;
  target_name: string | null;
  changes: Record<string, unknown> | null;
}

/** What is undefined does not filter. */
export interface AuditFilters {
  types?: readonly string[] | undefined;
  actorType?: ActorType | undefined;
  actorId?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

/** Where a page begins: at its number, or behind a place; then nobody counts. */
export type AuditPage = { limit: number } & ({ page: number } | { after: Place });

/**
 * One page of a workspace's audit events, newest first.
 * @returns how many there are in all, null behind a cursor; and the cursor of the next page, null at the end
 */
export async function listAuditEvents(
  db: Database,
  workspaceId: string,
  filters: AuditFilters,
  page: AuditPage,
): Promise<{ events: AuditEvent[]; total: number | null; nextCursor: string | null }> {
  const { types, actorType, actorId, from, to } = filters;
  const bind = [workspaceId, types ?? null, actorType ?? null, actorId ?? null, from ?? null, to ?? null];
  const after = 'after' in page ? page.after : { micros: null, id: null };
  const offset = 'page' in page ? (page.page - 1) * page.limit : 0;
  const total = 'page' in page ? ((await select<{ total: number }>(db, count, bind))[0]?.total ?? 0) : null;
  if (total !== null && offset >= total) return { events: [], total, nextCursor: null };
  const found = await select<AuditEvent & { micros: number }>(db, list, [...bind, after.micros, after.id, page.limit + 1, offset]);
  const shown = found.slice(0, page.limit);
  const last = shown.at(-1);
  const nextCursor = found.length > page.limit && last !== undefined ? writeCursor({ micros: String(last.micros), id: last.id }) : null;
  return { events: shown.map(({ micros: _, ...event }) => event), total, nextCursor };
}

const filtered = `
  FROM audit_events WHERE workspace_id = $1 AND ($2::text[] IS NULL OR type = ANY($2)) AND ($3::text IS NULL OR actor_type = $3)
    AND ($4::uuid IS NULL OR actor_id = $4) AND ($5::timestamptz IS NULL OR at >= $5) AND ($6::timestamptz IS NULL OR at <= $6)`;
const count = `SELECT count(*) AS total ${filtered}`;
const list = `
  SELECT id, type, at, actor_type, actor_id, actor_name, address, user_agent, request_id, target_type, target_id, target_name, changes,
    (extract(epoch FROM at) * 1000000)::bigint AS micros
  ${filtered} AND ($7::bigint IS NULL OR (at, id) < (timestamptz 'epoch' + $7::bigint * interval '1 microsecond', $8::uuid))
  ORDER BY at DESC, id DESC LIMIT $9 OFFSET $10`;
