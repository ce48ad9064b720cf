/** For operators: messages that have not ended, and what each of them waits for. */
import type { Channel } from '../../channels.js';
import { type Database, select } from '../../db/database.js';
import { isOpen, type Status, type StatusDetail } from '../../rules/messages/status.js';
import { type WaitLimits, type Waiting, waitingFor } from '../../rules/messages/waiting.js';

export interface UnendedMessage {
  message_id: string;
  workspace_id: string;
  group_id: string;
  workflow_id: string;
  channel: Channel;
  status: Status;
  /** Seconds since its acceptance or its scheduled time. */
  age_seconds: number;
  attempts: number;
  waiting: Waiting | null;
  /** Nothing that it waits for explains its age. */
  stuck: boolean;
}

interface Row {
  id: string;
  workspace_id: string;
  group_id: string;
  workflow_id: string;
  channel: Channel;
  status: Status;
  status_detail: StatusDetail;
  scheduled_at: Date | null;
  created_at: Date;
  sent_at: Date | null;
  provider: string | null;
  batch_status: string | null;
  age_seconds: number;
}

/** Limits by channel, in seconds. */
export interface UnendedLimits {
  handoffTimeoutSeconds: number;
  unknownHandoffSeconds: number;
  reportTimeoutSeconds: Readonly<Record<Channel, number>>;
}

/**
 * The oldest open messages, oldest first.
 * @param olderThanSeconds only messages that were accepted, or were due, so long ago
 */
export async function unendedMessages(
  db: Database,
  limits: UnendedLimits,
  { olderThanSeconds, limit }: { olderThanSeconds: number; limit: number },
): Promise<UnendedMessage[]> {
  const rows = await select<Row>(db, oldest, [olderThanSeconds, limit]);
  const ids = rows.map(({ id }) => id);
  const attempts = await select<{ message_id: string; outcome: string | null; provider: string; started_at: Date }>(db, attemptsOf, [ids]);
  return rows.map((row) => {
    const own = attempts.filter(({ message_id }) => message_id === row.id);
    const waiting = waitOf(row, own, { ...limits, reportTimeoutSeconds: limits.reportTimeoutSeconds[row.channel] });
    const { workspace_id, group_id, workflow_id, channel, status, age_seconds } = row;
    const facts = { workspace_id, group_id, workflow_id, channel, status, age_seconds };
    return { message_id: row.id, ...facts, attempts: own.length, waiting, stuck: isStuck(waiting) };
  });
}

function waitOf(row: Row, attempts: readonly { outcome: string | null; provider: string; started_at: Date }[], limits: WaitLimits) {
  return waitingFor({ message: row, batchStatus: row.batch_status, attempts, events: [] }, limits, new Date());
}

/** A message that was not decided, or that nobody tried to hand off, waits for nothing. */
function isStuck(waiting: Waiting | null): boolean {
  if (waiting === null || waiting.what === 'hand_off') return true;
  return waiting.until !== null && waiting.until < new Date();
}

/** So many open groups are searched, in the order in which the watcher looks at them. */
const groupsMax = 200_000;
const since = 'COALESCE(m.scheduled_at, m.created_at)';

const oldest = `
  WITH g AS (SELECT id, workflow_id, batch_id FROM message_groups WHERE closed_at IS NULL ORDER BY look_at LIMIT ${groupsMax})
  SELECT m.id, m.workspace_id, m.group_id, g.workflow_id, m.channel, m.status, m.status_detail, m.scheduled_at, m.created_at, m.sent_at, m.provider,
    (SELECT b.status FROM batches b WHERE b.id = g.batch_id) AS batch_status, extract(epoch FROM now() - ${since})::float AS age_seconds
  FROM g JOIN messages m ON m.group_id = g.id
  WHERE ${isOpen('m')} AND ${since} < now() - $1 * interval '1 second'
  ORDER BY ${since}, m.id LIMIT $2`;

const attemptsOf = `SELECT message_id, outcome, provider, started_at FROM send_attempts WHERE message_id = ANY($1::uuid[]) ORDER BY message_id, number`;
