/** The messages that must not be handed off: expired, of a workspace that may not send, or to a recipient on the suppression list. */
import { type Database, inTransaction, select, type Transaction } from '../../db/database.js';
import { digestInSql } from '../../rules/contacts/erasure.js';
import { spellingsInSql } from '../../rules/messages/recipient.js';
import { isByRecipientInSql, type SuppressionReason, suppressedCode, suppressedTexts } from '../../rules/contacts/suppression.js';
import { accountClosed } from '../messages/cancel-messages.js';
import { recordStatuses, type StatusChange } from '../messages/record-statuses.js';
import { isUncertain } from './uncertain-handoffs.js';

/** What decides whether a message must not be sent. */
export interface SendingRules {
  /** The key that finds erased recipients on the suppression list, see `erasureKey`. */
  erasureKey: Buffer;
  /** Workspaces whose e-mail address is not verified may not send, see `mustBeVerified`. */
  verifiedOnly: boolean;
}

/** SQL: the message `m` is due. */
export const isDue = `(m.scheduled_at IS NULL OR m.scheduled_at <= now() + interval '1 second')`;

/** The parameters of `refusalOf`, with their types. */
export const bindOfRules = ({ erasureKey, verifiedOnly }: SendingRules): [Buffer, boolean] => [erasureKey, verifiedOnly];

/**
 * SQL: why the message `m` must not be sent: `suspended`, `unverified` or `closed` for its workspace, or a reason of the suppression list; null
 * if it may be. A closed workspace has no verified address any more. What the recipient asked for comes first on the list.
 * @param first number of the first parameter of `bindOfRules`
 */
export const refusalOf = (first: number) => `COALESCE(
  (SELECT 'suspended' FROM suspensions p WHERE p.workspace_id = m.workspace_id),
  CASE WHEN $${first + 1}::boolean THEN (
    SELECT CASE WHEN w.closed_at IS NULL THEN 'unverified' ELSE 'closed' END
    FROM workspaces w WHERE w.id = m.workspace_id AND NOT w.email_verified) END,
  (SELECT s.reason FROM suppressions s
  WHERE s.workspace_id = m.workspace_id AND s.channel = m.channel
    AND s.recipient = ANY(ARRAY[${listedNamesInSql(`$${first}`)}]) AND (s.expires_at IS NULL OR s.expires_at > now())
  ORDER BY ${isByRecipientInSql('s')} DESC, s.id LIMIT 1))`;

/** SQL: the names under which the recipient of the message `m` may be on the list, also after an erasure. */
const listedNamesInSql = (key: string) =>
  spellingsInSql('m')
    .flatMap((name) => [name, digestInSql(key, name)])
    .join(', ');

/**
 * Fails and refunds the queued messages of a group that must not be sent. An uncertain message is not refunded, because it may have been sent. A
 * message that another claim took while this one waited for its lock is not refunded either.
 * @returns whether there were such messages
 */
export const refuseQueued = (db: Database, groupId: string, rules: SendingRules): Promise<boolean> =>
  inTransaction(db, (transaction) => refuse(db, transaction, groupId, rules));

async function refuse(db: Database, transaction: Transaction, groupId: string, rules: SendingRules): Promise<boolean> {
  const refused = await select<Refused>(db, findRefused, [groupId, ...bindOfRules(rules)], transaction);
  const at = new Date();
  const changes = refused.map(({ id, reason }) => ({ id, at, ...failureBy(reason) }));
  await recordStatuses(db, transaction, { to: 'failed', from: ['queued'], changes });
  return refused.length > 0;
}

interface Refused {
  id: string;
  /** Null: it has expired. */
  reason: SuppressionReason | keyof typeof refusals | null;
}

type Failure = Pick<StatusChange, 'status_detail' | 'error_code' | 'error_message'>;

const expired: Failure = {
  status_detail: 'expired',
  error_code: 'expired',
  error_message: 'The message expired before it was handed to the carrier',
};

const refusals = {
  suspended: { status_detail: 'rejected', error_code: 'suspended', error_message: 'The workspace is suspended' },
  closed: { status_detail: 'cancelled', error_code: 'cancelled', error_message: accountClosed }, // the watcher may not have come to it yet
  unverified: { status_detail: 'rejected', error_code: 'unverified', error_message: 'The e-mail address of the workspace is not verified' },
} as const satisfies Record<string, Failure>;

function failureBy(reason: Refused['reason']): Failure {
  if (reason === null) return expired;
  return isOnList(reason)
    ? { status_detail: 'suppressed', error_code: suppressedCode, error_message: suppressedTexts[reason] }
    : refusals[reason];
}

const isOnList = (reason: string): reason is SuppressionReason => Object.hasOwn(suppressedTexts, reason);

const findRefused = `
  SELECT id, CASE WHEN expires_at <= now() THEN NULL ELSE reason END AS reason
  FROM (
    SELECT id, expires_at, CASE WHEN ${isDue} THEN ${refusalOf(2)} END AS reason FROM messages m
    WHERE group_id = $1 AND status = 'queued' AND status_detail <> 'sending' AND NOT ${isUncertain}
    ORDER BY id FOR UPDATE
  ) queued
  WHERE expires_at <= now() OR reason IS NOT NULL`;
