import { type Database, inTransaction, select, type Transaction } from '../database.js';
import type { MessageRow } from '../message.js';
import { recordStatuses } from './record-statuses.js';

/** A message that this caller may hand to its provider now. */
export type Claim = Pick<MessageRow, 'id' | 'workspace_id' | 'channel' | 'to' | 'content' | 'reference' | 'created_at'> & {
  /** Number of this attempt, from 1. */
  attempt: number;
  /** True when an earlier call may have reached the provider: its answer was lost, or the process died during it. */
  uncertain: boolean;
};

export interface ClaimLimits {
  /** Most messages to claim. */
  limit?: number;
  /** Ids that are left out: tried already in this round. */
  except?: readonly string[];
  /** The group is a page of a batch. */
  inBatch?: boolean;
}

/**
 * Claims the due, still queued messages of a group for hand-off and writes an attempt row for each, so that a crash
 * during the call is known afterwards. Messages past their `expires_at` fail instead, refunded.
 * @param providerOf the provider that will be called, by channel
 *
 * Nothing is claimed of a batch that is paused or cancelled: the batch's row is locked until the claim is committed, so that
 * whoever changes it knows that no further call begins.
 */
export async function claimHandoffs(
  db: Database,
  groupId: string,
  providerOf: Record<string, string>,
  { limit = 250, except = [], inBatch = false }: ClaimLimits = {},
): Promise<Claim[]> {
  const bind = [groupId, JSON.stringify(providerOf), limit, except];
  const claims = inBatch ? await claimOfBatch(db, groupId, bind) : await select<Claimed>(db, claim, bind);
  if (claims[0]?.others_expired !== false) await inTransaction(db, (transaction) => expire(db, transaction, groupId));
  return claims.map(({ others_expired: _, ...claimed }) => claimed);
}

/** `others_expired`: told with the claim, so that a group without them costs no second statement. */
type Claimed = Claim & { others_expired: boolean };

function claimOfBatch(db: Database, groupId: string, bind: unknown[]): Promise<Claimed[]> {
  return inTransaction(db, async (transaction) => {
    const stopped = await select(db, stoppedBatch, [groupId], transaction);
    return stopped.length > 0 ? [] : select<Claimed>(db, claim, bind, transaction);
  });
}

/** SQL: an earlier call for the message `m` may have reached the provider. */
const isUncertain = `EXISTS (
  SELECT 1 FROM send_attempts u WHERE u.message_id = m.id AND (u.outcome IS NULL OR u.outcome = 'unknown'))`;

const stoppedBatch = `
  SELECT 1 FROM (
    SELECT b.status FROM batches b JOIN message_groups g ON g.batch_id = b.id WHERE g.id = $1 FOR SHARE OF b
  ) batch WHERE status <> 'sending'`;

const claim = `
  WITH due AS (
    UPDATE messages SET status_detail = 'sending'
    WHERE id IN (
      SELECT id FROM messages m
      WHERE group_id = $1 AND status = 'queued' AND (scheduled_at IS NULL OR scheduled_at <= now() + interval '1 second')
        AND id <> ALL($4::uuid[]) AND (expires_at IS NULL OR expires_at > now() OR ${isUncertain})
      ORDER BY id LIMIT $3 FOR UPDATE
    )
    RETURNING id, workspace_id, channel, "to", content, reference, created_at
  ), earlier AS (
    SELECT a.message_id, max(a.number) AS number, bool_or(a.outcome IS NULL OR a.outcome = 'unknown') AS uncertain
    FROM send_attempts a JOIN due ON due.id = a.message_id GROUP BY a.message_id
  ), attempts AS (
    INSERT INTO send_attempts (message_id, number, provider)
    SELECT due.id, COALESCE(earlier.number, 0) + 1, $2::json ->> due.channel
    FROM due LEFT JOIN earlier ON earlier.message_id = due.id
    RETURNING message_id, number
  )
  SELECT due.*, attempts.number AS attempt, COALESCE(earlier.uncertain, false) AS uncertain,
    EXISTS (SELECT 1 FROM messages WHERE group_id = $1 AND status = 'queued' AND expires_at <= now()) AS others_expired
  FROM due JOIN attempts ON attempts.message_id = due.id LEFT JOIN earlier ON earlier.message_id = due.id
  ORDER BY due.id`;

/** A message whose hand-off is uncertain is not expired: it may be on its way. */
async function expire(db: Database, transaction: Transaction, groupId: string): Promise<void> {
  const expired = await select<{ id: string }>(db, findExpired, [groupId], transaction);
  const at = new Date();
  const changes = expired.map(({ id }) => ({
    id,
    status_detail: 'expired' as const,
    at,
    error_code: 'expired',
    error_message: 'The message expired before it was handed to the provider',
  }));
  await recordStatuses(db, transaction, { to: 'failed', from: ['queued'], changes });
}

const findExpired = `
  SELECT id FROM messages m
  WHERE group_id = $1 AND status = 'queued' AND expires_at <= now()
    AND NOT ${isUncertain}`;
