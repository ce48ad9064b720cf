import { ApiKey } from '../../tables/api-key.js';
import type { Database } from '../../db/database.js';
import type { Changes } from '../../rules/audit/changes.js';
import type { Origin } from '../../rules/audit/origin.js';
import { asCaller } from '../accounts/as-caller.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';

/** A key of a workspace. */
interface RevokedKey {
  workspaceId: string;
  id: string;
  /** What the audit event also contains. */
  changes?: Changes;
}

/**
 * Revokes a key permanently. Every request that begins after this resolves is refused. Repeating it changes nothing.
 * @returns false if it was revoked already
 * @throws AppError not_found if the workspace has no such key, unauthorized if the credential has ended
 */
export async function revokeApiKey(db: Database, { workspaceId, id, changes }: RevokedKey, origin: Origin): Promise<boolean> {
  const { name } = await ApiKey.owned(workspaceId, id);
  return asCaller(db, workspaceId, origin, async (transaction) => {
    const [revoked] = await ApiKey.update({ is_active: false }, { where: { id, is_active: true }, transaction });
    if (revoked === 0) return false;
    const target = { type: 'api_key', id, name } as const;
    await recordAuditEvent(db, transaction, origin, { workspaceId, type: 'api_key.revoked', target, changes: changes ?? null });
    return true;
  });
}
