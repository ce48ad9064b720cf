import { canNoLonger } from '../../conflicts.js';
import { ApiKey, chosenFieldsOf } from '../../tables/api-key.js';
import type { Config } from '../../settings/config.js';
import { type Database, select, type Transaction } from '../../db/database.js';
import type { Origin } from '../../rules/audit/origin.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { withinQuota } from '../workspaces/within-quota.js';
import { type IssuedKey, mailAboutKey } from './issue-api-key.js';

/**
 * Creates a key that replaces another one. It has the same name, scopes and limits, and the same lifetime, counted from now. The former key keeps
 * working for `overlapHours` (0: it is revoked at once), but not beyond its own expiry. If it is rotated again meanwhile, for example because
 * the first answer was lost, it gives another key of the same lifetime.
 * @returns the new key, which is shown once, and the id of the mail to its owner
 * @throws AppError not_found if the workspace has no such key, conflict if the key is no longer valid, limit_reached if both keys together
 *   exceed the quota, unauthorized if the owner's credential has ended
 */
export async function rotateApiKey(
  db: Database,
  { secretKey, quotas }: Pick<Config, 'secretKey' | 'quotas'>,
  { workspaceId, id, overlapHours }: { workspaceId: string; id: string; overlapHours: number },
  origin: Origin,
): Promise<IssuedKey> {
  const chosen = chosenFieldsOf(await ApiKey.owned(workspaceId, id));
  // The former key counts while it works. Without an overlap the new key takes its place.
  const max = overlapHours > 0 ? quotas.apiKeys : quotas.apiKeys + 1;
  const rotate = async (transaction: Transaction) => {
    // A concurrent rotation waits here, and then rotates what this one has left.
    const [former] = await select<{ next_expires_at: Date | null }>(db, end, [id, overlapHours], transaction);
    if (former === undefined) throw canNoLonger('API key', 'rotated');
    const wanted = { workspace_id: workspaceId, ...chosen, expires_at: former.next_expires_at };
    const issued = await ApiKey.issue(secretKey, wanted, transaction);
    const target = { type: 'api_key', id, name: chosen.name } as const;
    const changes = { new_id: issued.row.id, overlap_hours: overlapHours };
    await recordAuditEvent(db, transaction, origin, { workspaceId, type: 'api_key.rotated', target, changes });
    return { ...issued, mailId: await mailAboutKey(db, transaction, issued.row, origin) };
  };
  return withinQuota(db, { workspaceId, of: 'apiKeys', max }, rotate, origin);
}

const end = `
  UPDATE api_keys k SET is_active = $2::float > 0, rotated_at = COALESCE(k.rotated_at, now()), chosen_expires_at = old.chosen_expires_at,
    expires_at = CASE WHEN $2::float > 0 THEN LEAST(k.expires_at, now() + $2::float * interval '1 hour') ELSE k.expires_at END
  FROM (
    SELECT id, created_at, CASE WHEN rotated_at IS NULL THEN expires_at ELSE chosen_expires_at END AS chosen_expires_at
    FROM api_keys WHERE id = $1 FOR NO KEY UPDATE
  ) old
  WHERE k.id = old.id AND k.is_active AND (k.expires_at IS NULL OR k.expires_at > now())
  RETURNING now() + (old.chosen_expires_at - old.created_at) AS next_expires_at`;
