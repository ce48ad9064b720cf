import { makeId } from '../../rules/values/make-id.js';
import { type Database, select, type Transaction } from '../../db/database.js';
import type { AuditTarget, AuditType } from '../../rules/audit/audit-types.js';
import type { Changes } from '../../rules/audit/changes.js';
import type { Origin } from '../../rules/audit/origin.js';
import { isAsCaller } from '../accounts/as-caller.js';

/** What was done, and its target. Contains no secrets, texts or recipients. */
export interface AuditRecord {
  workspaceId: string;
  type: AuditType;
  target: { type: AuditTarget; id: string; name: string | null };
  changes?: Changes | null;
}

/**
 * Writes an audit event in the transaction of the change that it describes: either both are committed, or neither is. The change of a caller
 * runs in `asCaller`, so that it is not stored after the credential has ended; anything else is a fault of the program.
 */
export async function recordAuditEvent(db: Database, transaction: Transaction, origin: Origin, event: AuditRecord): Promise<void> {
  const { workspaceId, type, target, changes = null } = event;
  if (origin.credential !== undefined && !isAsCaller(transaction)) throw new Error(`${type} is not written in asCaller`);
  const about = [target.type, target.id, target.name, changes === null ? null : JSON.stringify(changes)];
  await select(db, insert, [makeId(), workspaceId, type, ...bindOf(origin), ...about], transaction);
}

const columns = 'id, workspace_id, type, actor_type, actor_id, actor_name, address, user_agent, request_id, target_type, target_id';
const insert = `
  INSERT INTO audit_events (${columns}, target_name, changes) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13::jsonb)`;

/** The values of an origin, in the order of `insertAuditEvents`. */
const bindOf = ({ actor, address, userAgent, requestId }: Origin) => [actor.type, actor.id, actor.name, address, userAgent, requestId];

/**
 * SQL for a larger statement: writes an event for each row of `source` (workspace_id, actor_name, target_id, target_name, changes). All
 * events have one type and the origin that `originAsJson` binds. `actor_name` is used if the origin has no name.
 * @param origin the number of that parameter
 */
export const insertAuditEvents = (source: string, { type, target, origin }: { type: AuditType; target: AuditTarget; origin: number }) => `
  INSERT INTO audit_events (${columns}, target_name, changes)
  SELECT gen_random_uuid(), s.workspace_id, '${type}', o.actor_type, o.actor_id, COALESCE(o.actor_name, s.actor_name), o.address, o.user_agent,
    o.request_id, '${target}', s.target_id, s.target_name, s.changes
  FROM ${source} s, json_to_record($${origin}::json)
    AS o (actor_type text, actor_id uuid, actor_name text, address text, user_agent text, request_id text)`;

/** An origin as the parameter of `insertAuditEvents`. */
export const originAsJson = ({ actor, address, userAgent, requestId }: Origin): string =>
  JSON.stringify({
    actor_type: actor.type,
    actor_id: actor.id,
    actor_name: actor.name,
    address,
    user_agent: userAgent,
    request_id: requestId,
  });
