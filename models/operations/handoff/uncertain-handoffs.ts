/**
 * Hand-offs with an unknown outcome: the call may still be in progress, its answer was lost, or the process died during it. The message
 * stays `queued` until a delivery report proves the hand-off, the account answers a query about it, or its wait is over.
 */
import type { Channel } from '../../channels.js';
import { type Database, inTransaction, select, selectIds } from '../../db/database.js';
import { longestCallMs, providerDeadlineMs } from '../../rules/routing/provider-deadline.js';

/** How long uncertain messages wait. */
export interface UncertainWaits {
  /** A call without an outcome may still be in progress for this time. */
  leaseSeconds: number;
  /** The same for accounts whose calls may last longer. */
  leasesByAccount?: Readonly<Record<string, number>>;
  /** How long an unknown hand-off waits for its delivery report. */
  unknownSeconds: number;
  /** Accounts that may be called or queried again after the lease: idempotent ones, and those that find a message by our id. */
  repeatable: readonly string[];
}

/** Longer than the time from a claim to the end of its call, for a call with the default deadline. */
export const callLeaseSeconds = 15;

/** How much longer a call with this deadline may be in progress than one with the default deadline. */
export const extraLeaseSeconds = (deadlineMs: number): number => (deadlineMs - providerDeadlineMs) / 1000;

/** The detail of an attempt that only queried the outcome of an earlier call, and got no answer yet. It sent nothing. */
export const notKnownYet = 'NotKnownYet';

/** The values of the three parameters of `mayBeCalled`, in order. */
export const bindOf = ({ leaseSeconds, leasesByAccount = {}, unknownSeconds, repeatable }: UncertainWaits) => [
  repeatable,
  JSON.stringify({ ...leasesByAccount, '': leaseSeconds }),
  unknownSeconds,
];

/** SQL: the attempt with this alias is open or unknown, so that its call may have reached the provider. */
export const isOpenOrUnknown = (attempt: string) => `(${attempt}.outcome IS NULL OR ${attempt}.outcome = 'unknown')`;

/** SQL: an earlier call for the message `m` may have reached the provider. */
export const isUncertain = `EXISTS (SELECT 1 FROM send_attempts u WHERE u.message_id = m.id AND ${isOpenOrUnknown('u')})`;

/**
 * SQL: a call for the message with this id is still in progress. Its answer decides whether the message is refunded.
 * @param id SQL
 */
export const isBeingCalled = (id: string, channel: Channel) => `EXISTS (
  SELECT 1 FROM send_attempts u WHERE u.message_id = ${id} AND u.outcome IS NULL
    AND u.started_at > now() - interval '${callLeaseSeconds + extraLeaseSeconds(longestCallMs(channel))} seconds')`;

/** SQL: how long a call to the account of the attempt `u` may be in progress. @param leases parameter with the leases as JSON */
const leaseOf = (leases: string) =>
  `COALESCE(${leases}::json ->> u.provider, ${leases}::json ->> '')::double precision * interval '1 second'`;

/**
 * SQL: until when the attempts `u`, which are open or unknown, wait for a delivery report; null if every account may be called or queried again.
 * `waitingFor` repeats it.
 * @param repeatable parameter with the names of those accounts
 * @param unknownSeconds parameter with the usual time
 */
export const reportWaitEnd = (repeatable: string, unknownSeconds: string) => `
    CASE WHEN NOT bool_and(u.provider = ANY(${repeatable}::text[]))
      THEN COALESCE(max(u.give_up_at), min(u.started_at) + ${unknownSeconds}::double precision * interval '1 second') END`;

/** SQL: until when the message `m` waits; null if its hand-off is not uncertain. `first`: the number of the first of three parameters. */
const waitsUntil = (first: number) => `(
  SELECT GREATEST(
    max(u.started_at + ${leaseOf(`$${first + 1}`)}) FILTER (WHERE u.outcome IS NULL),
    ${reportWaitEnd(`$${first}`, `$${first + 2}`)})
  FROM send_attempts u WHERE u.message_id = m.id AND ${isOpenOrUnknown('u')})`;

/** SQL: the inbox has a report about the message `m`, which will prove its hand-off. */
const hasReport = `EXISTS (SELECT 1 FROM delivery_reports d WHERE d.group_id = m.group_id AND d.message_id = m.id AND d.applied_at IS NULL)`;

/**
 * SQL: the earlier calls for the queued message `m` permit another call, or giving up. Every uncertain message has the detail `sending`, so
 * the attempts of other messages need not be read.
 * @param first the number of the first of three parameters, see `bindOf`
 */
export const mayBeCalled = (first: number) =>
  `(m.status_detail <> 'sending' OR COALESCE(${waitsUntil(first)} <= now(), true) AND NOT ${hasReport})`;

/** A late answer or a report may end an uncertain wait at any time, so the group is checked at this interval. */
const lookEverySeconds = 20;

/**
 * When the next queued message of a group may be called for, by the clock of the database. It may be scheduled, or its hand-off may be
 * uncertain.
 * @returns milliseconds; 0 if one may be called for now, or none is queued
 */
export async function nextHandoffInMs(db: Database, groupId: string, waits: UncertainWaits): Promise<number> {
  const [next] = await select<{ in_ms: number | null }>(db, nextHandoff, [groupId, ...bindOf(waits)]);
  return Math.max(0, next?.in_ms ?? 0);
}

const nextHandoff = `
  SELECT extract(epoch FROM min(due.at) - now())::double precision * 1000 AS in_ms FROM (
    SELECT GREATEST(
      now(),
      m.scheduled_at,
      CASE WHEN m.status_detail = 'sending' THEN LEAST(GREATEST(${waitsUntil(2)}, now()), now() + ${lookEverySeconds} * interval '1 second') END,
      CASE WHEN m.status_detail = 'sending' AND ${hasReport} THEN now() + interval '1 second' END) AS at
    FROM messages m WHERE m.group_id = $1 AND m.status = 'queued'
  ) due`;

/**
 * Closes the attempts of a claim whose calls were certainly not made, because the answer to the claim was lost or too late. The next claim
 * may take the messages. Waits for a claim that holds the messages and is not committed yet, until `lock_timeout`. Safe to repeat.
 */
export function releaseClaim(db: Database, groupId: string, claimId: string): Promise<void> {
  return inTransaction(db, async (transaction) => {
    const ids = await selectIds(db, lock, [groupId], transaction);
    await select(db, release, [ids, claimId], transaction);
  });
}

// A statement of its own: a statement that waited for the claim would not see the attempts that the claim has written.
const lock = `SELECT id FROM messages WHERE group_id = $1 AND status = 'queued' ORDER BY id FOR UPDATE`;

const release = `
  WITH closed AS (
    UPDATE send_attempts SET outcome = 'retryable', detail = 'not called', finished_at = now()
    WHERE message_id = ANY($1::uuid[]) AND claim_id = $2 AND outcome IS NULL RETURNING message_id
  )
  UPDATE messages SET status_detail = 'accepted' FROM closed
  WHERE messages.id = closed.message_id AND NOT EXISTS (
    SELECT 1 FROM send_attempts u
    WHERE u.message_id = messages.id AND ${isOpenOrUnknown('u')} AND u.claim_id IS DISTINCT FROM $2)`;
