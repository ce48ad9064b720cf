/** For operators: messages that have not ended, and what each waits for. */
import { type Channel, channels } from '../../channels.js';
import { type Database, select } from '../../db/database.js';
import { dueTimeOf } from '../../rules/messages/schedule.js';
import { isOpen, type Status } from '../../rules/messages/status.js';
import type { Route } from '../../rules/routing/route.js';
import { column, recordset } from '../../tables/columns.js';
import type { Message } from '../../tables/message.js';
import type { MessageGroup } from '../../tables/message-group.js';
import { codeOf } from '../handoff/recent-outcomes.js';
import { isOpenOrUnknown, reportWaitEnd } from '../handoff/uncertain-handoffs.js';
import { isCheckOverdue } from './overdue-work.js';
import type { SendAttempt } from '../../tables/send-attempt.js';
import { upcomingEnd, type WaitLimits, waitLimitsOf, type WaitSettings, type Waiting, waitingFor } from '../../rules/messages/waiting.js';
import { repeatableAccounts } from '../../rules/routing/recovery.js';

export interface OpenMessage {
  message_id: string;
  workspace_id: string;
  group_id: string;
  workflow_id: string;
  channel: Channel;
  status: Status;
  /** Seconds since its acceptance or its scheduled time. */
  age_seconds: number;
  attempts: number;
  /** How the last call ended: a code of the carrier, or the kind of the error. */
  last_detail: string | null;
  waiting: Waiting | null;
  /** Nothing that it waits for explains its age. */
  stuck: boolean;
}

type MessageFields =
  | 'id'
  | 'workspace_id'
  | 'group_id'
  | 'channel'
  | 'status'
  | 'status_detail'
  | 'scheduled_at'
  | 'created_at'
  | 'sent_at'
  | 'provider'
  | 'expires_at';

type Attempt = Pick<SendAttempt, 'message_id' | 'outcome' | 'provider' | 'detail' | 'started_at' | 'give_up_at'>;

interface Row extends Pick<Message, MessageFields>, Pick<MessageGroup, 'workflow_id'> {
  batch_status: string | null;
  pace: 'batch' | 'account' | null;
  age_seconds: number;
  /** When the next step of its chain is sent. */
  due_at: Date | null;
}

/** The settings that limit waits, and the calls to accounts. */
export interface OpenMessageLimits extends WaitSettings {
  routes: Readonly<Record<Channel, readonly Route[]>>;
  providerLimits: Readonly<Record<string, number>>;
}

/**
 * Open messages, oldest first, and whether there are more than `limit`. If so, those whose age nothing explains are chosen first. Otherwise a paused batch, or
 * a day's messages that wait for reports, would hide them.
 * @param olderThanSeconds only messages that were accepted, or were due, at least this long ago
 */
export async function openMessages(
  db: Database,
  limits: OpenMessageLimits,
  { olderThanSeconds, limit }: { olderThanSeconds: number; limit: number },
): Promise<{ messages: OpenMessage[]; hasMore: boolean }> {
  const { handoffTimeoutSeconds, unknownHandoffSeconds, reportTimeoutSeconds } = limits;
  const waits = [JSON.stringify(reportTimeoutSeconds), handoffTimeoutSeconds, unknownHandoffSeconds, repeatableAccounts(limits.accounts)];
  const found = await select<Row>(db, oldest, [olderThanSeconds, limit + 1, ...waits, JSON.stringify(routesOf(limits))]);
  const rows = found.slice(0, limit).toSorted((one, other) => other.age_seconds - one.age_seconds || (one.id < other.id ? -1 : 1));
  const attempts = await select<Attempt>(db, attemptsOf, [rows.map(({ id }) => id)]);
  const messages = rows.map((row) => {
    const own = attempts.filter(({ message_id }) => message_id === row.id);
    const wait = waitOf(row, own, waitLimitsOf(limits, row.channel));
    const stuck = isStuck(row, wait, own.at(-1)?.started_at, handoffTimeoutSeconds);
    const waiting = wait === null || stuck ? wait : { ...wait, until: upcomingEnd(wait, new Date()) };
    const { workspace_id, group_id, workflow_id, channel, status, age_seconds } = row;
    const facts = { workspace_id, group_id, workflow_id, channel, status, age_seconds };
    return { message_id: row.id, ...facts, attempts: own.length, last_detail: own.at(-1)?.detail ?? null, waiting, stuck };
  });
  return { messages, hasMore: found.length > limit };
}

const routesOf = ({ routes, providerLimits }: OpenMessageLimits) =>
  channels.flatMap((channel) => routes[channel].map(({ account }) => ({ channel, account, limit: providerLimits[account] ?? null })));

function waitOf(row: Row, attempts: readonly Attempt[], limits: WaitLimits) {
  const { batch_status: batchStatus, pace, due_at } = row;
  return waitingFor({ message: row, batchStatus, pace, attempts, chain: { outcome: null, due_at }, events: [] }, limits, new Date());
}

/**
 * A message that was not decided waits for nothing. Neither does one that nobody tried to hand off, unless a rate or a limit sets its time
 * and it has not expired. Waits for a limit of the provider do not use up the time for the hand-off, so that time counts from the last call.
 */
function isStuck({ pace }: Row, waiting: Waiting | null, calledAt: Date | undefined, handoffTimeoutSeconds: number): boolean {
  if (waiting === null) return true;
  const isOver = waiting.until !== null && waiting.until < new Date();
  if (waiting.what === 'hand_off') return pace === null || isOver;
  if (waiting.what === 'next_attempt' && calledAt !== undefined) return calledAt.getTime() + handoffTimeoutSeconds * 1000 < Date.now();
  return isOver;
}

/** The maximum number of open groups that are searched, in the order in which the watcher checks them. */
const groupsMax = 200_000;
const since = dueTimeOf('m');

const seconds = (parameter: string) => `${parameter}::float8 * interval '1 second'`;

/** SQL: the batch has a rate, and reserved the time of a message lately. */
const hasRecentSlots =
  "b.rate IS NOT NULL AND b.next_slot_at > now() - interval '30 seconds' - interval '1 second' / GREATEST(b.rate, 1e-6)";

/**
 * SQL: the channels with an account that is at its limit, or asked us to wait. Whoever waits for a limit reserves the next turns in advance, so that
 * the last of them is still to come; a dispatch may be a little late for it.
 */
const limitedChannels = `
  SELECT r.channel FROM ${recordset('$7', 'r', { channel: column.text(), account: column.text(), limit: column.double() })}
  JOIN provider_pace p ON p.provider = r.account WHERE p.held_until > now() OR r.limit IS NOT NULL AND p.next_slot_at > now() - interval '2 seconds'`;

/** SQL: what sets the time of the hand-off. The watcher must look at the group, because otherwise nothing notices the loss of its workflow. */
const paceOf = `
  CASE WHEN g.is_overdue THEN NULL WHEN g.gives_turns THEN 'batch' WHEN m.channel IN (SELECT channel FROM limited) THEN 'account' END`;

/** SQL: until when the calls for the message explain its age; null if there are none. */
const endOfCalls = `COALESCE(
  (SELECT ${reportWaitEnd('$6', '$5')} FROM send_attempts u WHERE u.message_id = m.id AND ${isOpenOrUnknown('u')}),
  (SELECT max(a.started_at) + ${seconds('$4')} FROM send_attempts a WHERE a.message_id = m.id))`;

/** SQL: the age of the message is explained, as `waitingFor` and `isStuck` say. */
const isExplained = `
  CASE
    WHEN m.status = 'sent' THEN COALESCE(m.sent_at, m.created_at) + ${seconds('($3::json ->> m.channel)')} > now()
    WHEN m.status <> 'queued' THEN false
    WHEN g.batch_status IS NOT DISTINCT FROM 'paused' THEN m.expires_at IS NULL OR m.expires_at > now()
      OR EXISTS (SELECT 1 FROM send_attempts u WHERE u.message_id = m.id AND ${isOpenOrUnknown('u')})
    ELSE COALESCE(${endOfCalls} > now(), ${paceOf} IS NOT NULL AND (m.expires_at IS NULL OR m.expires_at > now()))
  END`;

const oldest = `
  WITH g AS (
    SELECT o.id, o.workflow_id, b.status AS batch_status, ${isCheckOverdue('o')} AS is_overdue,
      ${hasRecentSlots} AS gives_turns
    FROM (
      SELECT id, workflow_id, batch_id, look_at FROM message_groups WHERE closed_at IS NULL ORDER BY look_at LIMIT ${groupsMax}
    ) o LEFT JOIN batches b ON b.id = o.batch_id
  ), limited AS (${limitedChannels}
  ), chosen AS (
    SELECT m.id, m.workspace_id, m.group_id, g.workflow_id, m.channel, m.status, m.status_detail, m.scheduled_at, m.created_at, m.sent_at, m.provider,
      m.expires_at, g.batch_status, ${paceOf} AS pace, extract(epoch FROM now() - ${since})::float AS age_seconds,
      ${isExplained} AS is_explained
    FROM g JOIN messages m ON m.group_id = g.id
    WHERE ${isOpen('m')} AND ${since} < now() - $1 * interval '1 second'
    ORDER BY is_explained, ${since}, m.id LIMIT $2
  )
  SELECT *, (SELECT f.due_at FROM fallbacks f WHERE f.message_id = chosen.id AND f.outcome IS NULL) AS due_at
  FROM chosen ORDER BY is_explained, age_seconds DESC, id`;

const attemptsOf = `
  SELECT message_id, outcome, provider, ${codeOf('detail')} AS detail, started_at, give_up_at FROM send_attempts WHERE message_id = ANY($1::uuid[]) ORDER BY message_id, number`;
