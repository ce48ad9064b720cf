import { type Database, inTransaction, select, type Transaction } from '../../db/database.js';
import type { Channel } from '../../channels.js';
import type { MessageRow } from '../../tables/message.js';
import { digestIn } from '../../rules/contacts/erasure.js';
import { keysInSql } from '../../rules/messages/recipient.js';
import type { RouteChoice } from '../../rules/routing/route.js';
import { isByRecipient, type SuppressionReason, suppressedCode, suppressedTexts } from '../../rules/contacts/suppression.js';
import { recordStatuses, type StatusChange } from '../messages/record-statuses.js';
import { bindOf, isOpenOrUnknown, isUncertain, mayBeCalled, notKnownYet, noWaits, type UncertainWaits } from './uncertain-handoffs.js';

/** A message that this caller may hand off now. */
export type Claim = Pick<MessageRow, 'id' | 'workspace_id' | 'channel' | 'to' | 'content' | 'reference' | 'traceparent'> & {
  /** The account to call. */
  provider: string;
  /** Number of this attempt, from 1. */
  attempt: number;
  /** An earlier call may have reached the provider: its answer was lost, or the process died during it. */
  uncertain: boolean;
  /** Milliseconds since the start of the last call that may have reached the provider; null if there is none. */
  uncertain_ms: number | null;
};

export interface ClaimLimits {
  /** The maximum number of messages to claim. */
  limit?: number;
  /** Ids to skip, because they were attempted in this round already. */
  except?: readonly string[];
  /** The group is a page of a batch. */
  inBatch?: boolean;
  /** Accounts that are not called now. A message that one of them may already have waits. */
  resting?: readonly string[];
  /** How long messages wait whose earlier call has no known outcome. */
  waits?: UncertainWaits;
  /** Stored in the attempts, so that a claim can be undone if its answer is lost; see `releaseClaim`. */
  claimId?: string;
  /** The key that finds erased recipients on the suppression list, see `erasureKey`; null if there are none. */
  erasureKey?: Buffer | null;
}

/** The accounts to call, by channel. */
export type Choices = Readonly<Record<Channel, RouteChoice>>;

/**
 * Claims the due queued messages of a group for hand-off. Writes an attempt row for each, so that a crash during the call is known
 * afterwards. Messages past their `expires_at` fail and are refunded. So do messages whose recipient is suppressed or whose workspace is
 * suspended.
 * @param choices a message goes to the first account of its channel; after failures, to the first of those that failed least. If an earlier
 *   call may have reached its account, the message stays there: another account would send it a second time
 *
 * Nothing is claimed of a paused or cancelled batch. The batch's row is locked until the claim is committed, so that after a change of the
 * batch no further call begins.
 */
export async function claimHandoffs(
  db: Database,
  groupId: string,
  choices: Choices,
  { limit = 250, except = [], inBatch = false, resting = [], waits = noWaits, claimId, erasureKey = null }: ClaimLimits = {},
): Promise<Claim[]> {
  const bind = [groupId, JSON.stringify(choices), limit, except, resting, ...bindOf(waits), claimId ?? null, erasureKey];
  const claims = inBatch ? await claimOfBatch(db, groupId, bind) : await select<Claimed>(db, claim, bind);
  if (claims[0]?.others_refused !== false) await refuseQueued(db, groupId, erasureKey);
  return claims.map(({ others_refused: _, ...claimed }) => claimed);
}

/** `others_refused`: whether there are messages to refuse. It comes with the claim, so that a group without them needs no second statement. */
type Claimed = Claim & { others_refused: boolean };

function claimOfBatch(db: Database, groupId: string, bind: unknown[]): Promise<Claimed[]> {
  return inTransaction(db, async (transaction) => {
    const stopped = await select(db, stoppedBatch, [groupId], transaction);
    return stopped.length > 0 ? [] : select<Claimed>(db, claim, bind, transaction);
  });
}

/** SQL: no account that is not called now may already have the message `m`. */
const isNotResting = `(cardinality($5::text[]) = 0 OR NOT EXISTS (
  SELECT 1 FROM send_attempts u WHERE u.message_id = m.id AND ${isOpenOrUnknown('u')} AND u.provider = ANY($5::text[])))`;

/**
 * SQL: `route`, the next attempt of the message `due` (id, channel): its account, the reason for that account, its number, and whether an
 * earlier attempt may have reached its provider.
 * @param choices parameter with the `Choices` as JSON
 */
export const routeOf = (choices: string) => `LATERAL (
    SELECT COALESCE(earlier.bound_to, c.account) AS provider, COALESCE(earlier.number, 0) + 1 AS attempt,
      earlier.bound_to IS NOT NULL AS uncertain, extract(epoch FROM now() - earlier.called_at)::double precision * 1000 AS uncertain_ms, c.share,
      CASE WHEN earlier.bound_to IS NOT NULL THEN 'same_account'
        WHEN earlier.failed_by IS NOT NULL AND c.account <> ALL(earlier.failed_by) THEN 'failover'
        ELSE ${choices}::json -> due.channel ->> 'reason' END AS reason
    FROM (
      SELECT max(number) AS number, array_agg(provider) FILTER (WHERE outcome = 'retryable') AS failed_by,
        (array_agg(provider ORDER BY number DESC) FILTER (WHERE ${isOpenOrUnknown('a')}))[1] AS bound_to,
        max(started_at) FILTER (WHERE ${isOpenOrUnknown('a')} AND detail IS DISTINCT FROM '${notKnownYet}') AS called_at
      FROM send_attempts a WHERE message_id = due.id
    ) earlier, ROWS FROM (json_to_recordset(${choices}::json -> due.channel -> 'accounts') AS (account text, share integer)) WITH ORDINALITY
      AS c (account, share, place)
    ORDER BY cardinality(array_positions(earlier.failed_by, c.account)), c.place LIMIT 1
  ) route`;

/** SQL: the message `m` is due. */
export const isDue = `(m.scheduled_at IS NULL OR m.scheduled_at <= now() + interval '1 second')`;

/**
 * SQL: why the message `m` must not be sent: a reason of the suppression list, or `suspended` for its workspace; null if it may be. What the
 * recipient asked for comes first.
 */
const suppression = (key: string) => `COALESCE((SELECT 'suspended' FROM suspensions p WHERE p.workspace_id = m.workspace_id), (
  SELECT s.reason FROM suppressions s
  WHERE s.workspace_id = m.workspace_id AND s.channel = m.channel
    AND s.recipient = ANY(ARRAY[${namesOf(key)}]) AND (s.expires_at IS NULL OR s.expires_at > now())
  ORDER BY ${isByRecipient('s')} DESC, s.id LIMIT 1))`;

/** SQL: what the recipient of the message `m` may be called on the list, also after an erasure. */
const namesOf = (key: string) =>
  keysInSql('m')
    .flatMap((name) => [name, digestIn(key, name)])
    .join(', ');

const stoppedBatch = `
  SELECT 1 FROM (
    SELECT b.status FROM batches b JOIN message_groups g ON g.batch_id = b.id WHERE g.id = $1 FOR SHARE OF b
  ) batch WHERE status <> 'sending'`;

const claim = `
  WITH due AS (
    UPDATE messages SET status_detail = 'sending'
    WHERE id IN (
      SELECT id FROM messages m
      WHERE group_id = $1 AND status = 'queued' AND ${isDue} AND id <> ALL($4::uuid[]) AND ${isNotResting}
        AND ${mayBeCalled(6)}
        AND ((expires_at IS NULL OR expires_at > now()) AND ${suppression('$10')} IS NULL OR ${isUncertain})
      ORDER BY id LIMIT $3 FOR UPDATE
    )
    RETURNING id, workspace_id, channel, "to", content, reference, traceparent
  ), routed AS (
    SELECT due.*, route.* FROM due, ${routeOf('$2')}
  ), attempts AS (
    INSERT INTO send_attempts (message_id, number, provider, route, route_share, claim_id)
    SELECT id, attempt, provider, reason, share, $9 FROM routed
  )
  SELECT id, workspace_id, channel, "to", content, reference, traceparent, provider, attempt, uncertain, uncertain_ms,
    EXISTS (
      SELECT 1 FROM messages m
      WHERE group_id = $1 AND status = 'queued' AND (expires_at <= now() OR ${isDue} AND ${suppression('$10')} IS NOT NULL)
    ) AS others_refused
  FROM routed ORDER BY id`;

/**
 * Fails and refunds the queued messages of a group that must not be sent. An uncertain message is not refunded, because it may have been sent.
 * Neither is one that another claim took while this one waited for its lock.
 */
export const refuseQueued = (db: Database, groupId: string, erasureKey: Buffer | null): Promise<void> =>
  inTransaction(db, (transaction) => refuse(db, transaction, groupId, erasureKey));

async function refuse(db: Database, transaction: Transaction, groupId: string, erasureKey: Buffer | null): Promise<void> {
  const refused = await select<{ id: string; suppressed: SuppressionReason | 'suspended' | null }>(
    db,
    findRefused,
    [groupId, erasureKey],
    transaction,
  );
  const at = new Date();
  const changes = refused.map(({ id, suppressed }) => ({ id, at, ...refusalBy(suppressed) }));
  await recordStatuses(db, transaction, { to: 'failed', from: ['queued'], changes });
}

type Refusal = Pick<StatusChange, 'status_detail' | 'error_code' | 'error_message'>;

const expired: Refusal = {
  status_detail: 'expired',
  error_code: 'expired',
  error_message: 'The message expired before it was handed to the provider',
};

const suspended: Refusal = {
  status_detail: 'rejected',
  error_code: 'suspended',
  error_message: 'The workspace is suspended',
};

function refusalBy(reason: SuppressionReason | 'suspended' | null): Refusal {
  if (reason === null) return expired;
  if (reason === 'suspended') return suspended;
  return { status_detail: 'suppressed', error_code: suppressedCode, error_message: suppressedTexts[reason] };
}

const findRefused = `
  SELECT id, CASE WHEN expires_at <= now() THEN NULL ELSE suppressed END AS suppressed
  FROM (
    SELECT id, expires_at, CASE WHEN ${isDue} THEN ${suppression('$2')} END AS suppressed FROM messages m
    WHERE group_id = $1 AND status = 'queued' AND status_detail <> 'sending' AND NOT ${isUncertain}
    ORDER BY id FOR UPDATE
  ) queued
  WHERE expires_at <= now() OR suppressed IS NOT NULL`;
