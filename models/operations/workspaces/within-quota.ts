import { type Database, selectOne, type Transaction } from '../../db/database.js';
import { quotaReached, type QuotaName } from '../../conflicts.js';
import type { AppError } from '../../errors.js';
import type { Origin } from '../../rules/audit/origin.js';
import { asCaller } from '../accounts/as-caller.js';

/** SQL: the rows of the workspace `$1` that a quota counts. */
const counted: Readonly<Record<QuotaName, string>> = {
  apiKeys: 'SELECT 1 FROM api_keys WHERE workspace_id = $1 AND is_active AND (expires_at IS NULL OR expires_at > now())',
  webhooks: 'SELECT 1 FROM webhooks WHERE workspace_id = $1 AND deleted_at IS NULL',
  replays: `SELECT 1 FROM replays r JOIN webhooks w ON w.id = r.webhook_id WHERE w.workspace_id = $1 AND r.status = 'running'`,
  openBatches: `SELECT 1 FROM batches WHERE workspace_id = $1 AND completed_at IS NULL AND status <> 'accepting'`,
  streams: 'SELECT 1 FROM open_streams WHERE workspace_id = $1 AND expires_at > now()',
};

/** A quota of one workspace. */
export interface Quota {
  workspaceId: string;
  of: QuotaName;
  max: number;
}

/**
 * Runs work that adds one to what a quota counts. Holds the lock of the workspace's row, so that concurrent calls cannot exceed the quota.
 * The work must not wait for anything outside the database.
 * @param origin who asks. Its credential is checked again under the lock
 * @throws AppError limit_reached if the workspace has the maximum number, unauthorized if the credential has ended
 */
export function withinQuota<Result>(
  db: Database,
  quota: Quota,
  work: (transaction: Transaction) => Promise<Result>,
  origin: Pick<Origin, 'credential'> = {},
): Promise<Result> {
  return asCaller(db, quota.workspaceId, origin, async (transaction) => {
    await assertBelow(db, quota, transaction);
    return work(transaction);
  });
}

/**
 * The refusal of one more; null if it is allowed. Certain only under the lock of the workspace's row.
 * @returns limit_reached
 */
export async function quotaRefusal(db: Database, quota: Quota, transaction?: Transaction): Promise<AppError | null> {
  if ((await countOf(db, quota, transaction)) < quota.max) return null;
  return quotaReached(quota.of, quota.max);
}

/**
 * Refuses one more if the quota is used up. Certain only under the lock of the workspace's row.
 * @throws AppError limit_reached
 */
export async function assertBelow(db: Database, quota: Quota, transaction?: Transaction): Promise<void> {
  const refusal = await quotaRefusal(db, quota, transaction);
  if (refusal !== null) throw refusal;
}

/** How many the workspace has, counted up to one more than the quota. */
export async function countOf(db: Database, { workspaceId, of, max }: Quota, transaction?: Transaction): Promise<number> {
  const sql = `SELECT count(*) AS count FROM (${counted[of]} LIMIT $2) AS found`;
  return (await selectOne<{ count: number }>(db, sql, [workspaceId, max + 1], transaction)).count;
}
