import { type Database, inTransaction, select, type Transaction } from '../../db/database.js';
import { limitReached } from '../../errors.js';
import type { Quotas } from '../../settings/limit-settings.js';

/** What is counted by rows of the database: how, of the workspace `$1`, and what it is called. */
const counted = {
  apiKeys: {
    what: 'API keys',
    sql: 'SELECT 1 FROM api_keys WHERE workspace_id = $1 AND is_active AND (expires_at IS NULL OR expires_at > now())',
  },
  webhooks: { what: 'webhooks', sql: 'SELECT 1 FROM webhooks WHERE workspace_id = $1 AND deleted_at IS NULL' },
  replays: {
    what: 'replays under way',
    sql: `SELECT 1 FROM replays r JOIN webhooks w ON w.id = r.webhook_id WHERE w.workspace_id = $1 AND r.status = 'running'`,
  },
  openBatches: {
    what: 'open batches',
    sql: `SELECT 1 FROM batches WHERE workspace_id = $1 AND completed_at IS NULL AND status <> 'accepting'`,
  },
  streams: { what: 'open streams', sql: 'SELECT 1 FROM open_streams WHERE workspace_id = $1 AND expires_at > now()' },
} satisfies Partial<Record<keyof Quotas, { what: string; sql: string }>>;

export type Counted = keyof typeof counted;

/** One of the quotas, of one workspace. */
export interface Quota {
  workspaceId: string;
  of: Counted;
  most: number;
}

/**
 * Does work that adds one to what a quota counts. Under the lock of the workspace's row, so that of any number that come at once exactly
 * as many pass as the quota allows; nothing may be waited for in it.
 * @throws AppError 409 when the workspace has as many as it can have
 */
export function withinQuota<Result>(db: Database, quota: Quota, work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
  return inTransaction(db, async (transaction) => {
    await select(db, lock, [quota.workspaceId], transaction);
    await assertBelow(db, quota, transaction);
    return work(transaction);
  });
}

const lock = 'SELECT 1 FROM workspaces WHERE id = $1 FOR NO KEY UPDATE';

/**
 * Whether one more is allowed as things stand; only under the lock of the workspace's row does that hold.
 * @throws AppError 409
 */
export async function assertBelow(db: Database, quota: Quota, transaction?: Transaction): Promise<void> {
  if ((await countOf(db, quota, transaction)) >= quota.most) throw limitReached('A workspace', quota.most, counted[quota.of].what);
}

/** How many the workspace has; one more than the quota where it has more still. */
export async function countOf(db: Database, { workspaceId, of, most }: Quota, transaction?: Transaction): Promise<number> {
  const sql = `SELECT count(*) AS count FROM (${counted[of].sql} LIMIT $2) AS found`;
  const [row] = await select<{ count: number }>(db, sql, [workspaceId, most + 1], transaction);
  return row?.count ?? 0;
}
