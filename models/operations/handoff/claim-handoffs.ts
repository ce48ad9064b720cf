import { type Database, select } from '../../db/database.js';
import type { Channel } from '../../channels.js';
import type { MessageRow } from '../../tables/message.js';
import type { RouteChoice } from '../../rules/routing/route.js';
import { bindOfRules, isDue, refusalOf, refuseQueued, type SendingRules } from './refuse-queued.js';
import { bindOf, isOpenOrUnknown, isUncertain, mayBeCalled, notKnownYet, type UncertainWaits } from './uncertain-handoffs.js';

/** A message that this caller may hand off now. */
export type Claim = Pick<MessageRow, 'id' | 'workspace_id' | 'channel' | 'to' | 'content' | 'reference' | 'traceparent'> & {
  /** The account to call. */
  account: string;
  /** Number of this attempt, from 1. */
  attempt: number;
  /** An earlier call may have reached the provider: its response was lost, or the process died during it. */
  uncertain: boolean;
  /** Milliseconds since the start of the last call that may have reached the provider; null if there is none. */
  uncertain_ms: number | null;
};

export interface ClaimLimits extends SendingRules {
  /** The maximum number of messages to claim. */
  limit: number;
  /** Ids to skip, because they were attempted in this round already. */
  except: readonly string[];
  /** The group is a page of a batch. */
  inBatch: boolean;
  /** Channels to leave out. */
  without: readonly Channel[];
  /** Accounts that are not called now. A message that one of them may already have waits. */
  resting: readonly string[];
  /** How long messages wait whose earlier call has no known outcome. */
  waits: UncertainWaits;
  /** Stored in the attempts, so that a claim can be undone if its answer is lost; see `releaseClaim`. */
  claimId: string;
}

/** The accounts to call, by channel. */
export type Choices = Readonly<Record<Channel, RouteChoice>>;

/**
 * Claims the due queued messages of a group for hand-off. Writes an attempt row for each, so that a crash during the call is known
 * afterwards. Messages that must not be sent fail and are refunded, see `refuseQueued`.
 *
 * Nothing is claimed of a paused or cancelled batch. The batch's row is locked until the claim is committed, so that after a change of the
 * batch no further call begins.
 * @param choices the accounts of each channel, the best one first. A message goes to the account at which it has failed least often; of several, to
 *   the first one. If an earlier call may have reached an account, the message stays there: another account would send it a second time
 */
export async function claimHandoffs(
  db: Database,
  groupId: string,
  choices: Choices,
  { limit, except, inBatch, without, resting, waits, claimId, ...rules }: ClaimLimits,
): Promise<Claimed> {
  const bind = [groupId, JSON.stringify(choices), limit, except, resting, ...bindOf(waits), claimId, ...bindOfRules(rules), without];
  const rows = await select<ClaimRow>(db, inBatch ? claimInBatch : claim, bind);
  const { has_more, has_failed_by_rule } = rows[0] ?? { has_more: true, has_failed_by_rule: true };
  // A later round does not look for messages that must be refused. But if it is not full, they may be among those that it left.
  const mayHaveLeft = except.length > 0 && has_more && rows.length < limit;
  const hasFailedByRule = (has_failed_by_rule || mayHaveLeft) && (await refuseQueued(db, groupId, rules));
  return {
    claims: rows.map(({ has_more: _more, has_failed_by_rule: _failed, ...claimed }) => claimed),
    hasMore: has_more,
    hasFailedByRule,
  };
}

export interface Claimed {
  claims: Claim[];
  /** The group may have queued messages that were not tried yet. */
  hasMore: boolean;
  /** Messages that must not be sent have failed. */
  hasFailedByRule: boolean;
}

/** With the answers whether messages are left, and whether some must be refused. A group without such messages needs no second statement. */
type ClaimRow = Claim & { has_more: boolean; has_failed_by_rule: boolean };

/** SQL: none of the accounts that are not called now may already have the message `m`. */
const isNotResting = `(cardinality($5::text[]) = 0 OR NOT EXISTS (
  SELECT 1 FROM send_attempts u WHERE u.message_id = m.id AND ${isOpenOrUnknown('u')} AND u.provider = ANY($5::text[])))`;

/**
 * SQL: `route`, the next attempt of the message `due` (id, channel): its account, the reason for that account, its number, and whether an
 * earlier attempt may have reached its provider.
 * @param choices parameter with the `Choices` as JSON
 */
export const routeOf = (choices: string) => `LATERAL (
    SELECT COALESCE(earlier.bound_to, c.account) AS account, COALESCE(earlier.number, 0) + 1 AS attempt,
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

/** @param first a condition that is evaluated before any message is read. @param before what it reads */
const claiming = ({ before = '', first = '' } = {}) => `
  WITH ${before}due AS (
    UPDATE messages SET status_detail = 'sending'
    WHERE id IN (
      SELECT id FROM messages m
      WHERE ${first}group_id = $1 AND status = 'queued' AND ${isDue} AND id <> ALL($4::uuid[]) AND channel <> ALL($12::text[])
        AND ${isNotResting} AND ${mayBeCalled(6)}
        AND ((expires_at IS NULL OR expires_at > now()) AND ${refusalOf(10)} IS NULL OR ${isUncertain})
      ORDER BY id LIMIT $3 FOR UPDATE
    )
    RETURNING id, workspace_id, channel, "to", content, reference, traceparent
  ), routed AS (
    SELECT due.*, route.* FROM due, ${routeOf('$2')}
  ), attempts AS (
    INSERT INTO send_attempts (message_id, number, provider, route, route_share, claim_id)
    SELECT id, attempt, account, reason, share, $9 FROM routed
  )
  SELECT id, workspace_id, channel, "to", content, reference, traceparent, account, attempt, uncertain, uncertain_ms,
    EXISTS (
      SELECT 1 FROM messages WHERE group_id = $1 AND status = 'queued' AND id <> ALL($4::uuid[]) AND id NOT IN (SELECT id FROM due)
    ) AS has_more,
    -- Only in the first round of a dispatch, because it reads all other messages.
    cardinality($4::uuid[]) = 0 AND EXISTS (
      SELECT 1 FROM messages m
      WHERE group_id = $1 AND status = 'queued' AND (expires_at <= now() OR ${isDue} AND ${refusalOf(10)} IS NOT NULL)
    ) AS has_failed_by_rule
  FROM routed ORDER BY id`;

const claim = claiming();

// The condition depends on no message, so PostgreSQL evaluates it once, and locks the batch before any message. If it waits for this lock, it
// reads the status again.
const claimInBatch = claiming({
  before: `batch AS MATERIALIZED (
    SELECT b.status FROM batches b JOIN message_groups g ON g.batch_id = b.id WHERE g.id = $1 FOR SHARE OF b
  ), `,
  first: `(SELECT status FROM batch) = 'sending' AND `,
});
