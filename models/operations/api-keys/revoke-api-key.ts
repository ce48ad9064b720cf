import { ApiKey } from '../../tables/api-key.js';
import type { Database } from '../../db/database.js';
import type { Origin } from '../../rules/audit/origin.js';
import { asCaller } from '../accounts/as-caller.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';

/**
 * Revokes a key permanently. Every request that begins after this resolves is refused. Repeating it changes nothing.
 * @throws AppError not_found if the workspace has no such key
 */
export async function revokeApiKey(db: Database, workspaceId: string, id: string, origin: Origin): Promise<void> {
  const { name } = await ApiKey.owned(workspaceId, id);
  await asCaller(db, workspaceId, origin, async (transaction) => {
    const [revoked] = await ApiKey.update({ is_active: false }, { where: { id, is_active: true }, transaction });
    if (revoked === 0) return;
    await recordAuditEvent(db, transaction, origin, { workspaceId, type: 'api_key.revoked', target: { type: 'api_key', id, name } });
  });
}
