import { type Database, inTransaction, select, type Transaction } from '../../db/database.js';
import type { MessageRow } from '../../tables/message.js';
import { groupBy } from '../../rules/values/group-by.js';
import { acceptOne, debitDescription } from './accept-one.js';
import { countGroupWork } from './count-group-work.js';
import { debit } from '../billing/post-credits.js';
import type { Funds } from '../billing/standing.js';
import { recordStatuses } from './record-statuses.js';
import type { Subscribed } from './write-events.js';

type Undecided = Pick<
  MessageRow,
  'id' | 'group_id' | 'workspace_id' | 'channel' | 'status' | 'status_detail' | 'cost' | 'segments' | 'scheduled_at'
> & { description: string };

/** The decision about a group. */
export interface Acceptance {
  /** The ids of the messages that were charged and queued. */
  accepted: string[];
  /** By id of each message that this call refused: the funds that were too low for it. Absent if it refused none. */
  refused?: Readonly<Record<string, Funds>>;
  channel: MessageRow['channel'] | undefined;
  /** When the group is due; null: now. */
  scheduledAt: Date | null;
  /** More than 0 if the group has deliveries to attempt first or to leave to retriers. */
  deliveries: number;
}

/**
 * Charges and queues the messages of a group that their workspaces can pay, and deletes the others. A second call changes nothing and
 * returns the same, but without `refused`.
 */
export async function acceptMessages(db: Database, groupId: string): Promise<Acceptance> {
  const one = await acceptOne(db, groupId);
  if (one !== null) return { accepted: [one.id], channel: one.channel, scheduledAt: one.scheduled_at, deliveries: 0 };
  const { accepted, refused, events } = await inTransaction(db, async (transaction) => {
    const rows = await select<Undecided>(db, lockGroup, [groupId], transaction);
    const undecided = rows.filter(({ status }) => status === 'accepting');
    const charged = undecided.length === 0 ? null : await charge(db, transaction, undecided);
    const paid = new Set(charged?.queued.map(({ id }) => id));
    return {
      accepted: rows.filter(({ id, status }) => status !== 'accepting' || paid.has(id)),
      refused: charged?.refused ?? {},
      events: charged?.queued ?? null,
    };
  });
  // A repeated call did not write the events, so it counts them.
  const deliveries =
    events === null
      ? (await countGroupWork(db, groupId)).deliveries
      : events.reduce((sum, { subscribers }) => sum + (subscribers?.length ?? 0), 0);
  return {
    accepted: accepted.map(({ id }) => id),
    ...(Object.keys(refused).length === 0 ? {} : { refused }),
    channel: accepted[0]?.channel,
    scheduledAt: startOf(accepted),
    deliveries,
  };
}

/**
 * When the first message is due. A message whose time was past by the clock of an API that is ahead shares a group with others, which must not
 * wait for it.
 */
function startOf(accepted: readonly Undecided[]): Date | null {
  const times = accepted.map(({ scheduled_at }) => scheduled_at);
  return times.toSorted((one, other) => (one?.getTime() ?? 0) - (other?.getTime() ?? 0))[0] ?? null;
}

const lockGroup = `
  SELECT id, group_id, workspace_id, channel, status, status_detail, cost, segments, scheduled_at, ${debitDescription} AS description
  FROM messages WHERE group_id = $1 ORDER BY id FOR UPDATE`;

interface Charged {
  queued: Subscribed[];
  refused: Record<string, Funds>;
}

async function charge(db: Database, transaction: Transaction, undecided: Undecided[]): Promise<Charged> {
  const paid = new Set<string>();
  const refused: Record<string, Funds> = {};
  const byWorkspace = undecided.toSorted((one, other) => (one.workspace_id < other.workspace_id ? -1 : 1));
  for (const [workspaceId, rows] of groupBy(byWorkspace, ({ workspace_id }) => workspace_id)) {
    const postings = rows.map(({ id, cost, description }) => ({ reference: id, amount: cost, description, messages: 1 }));
    const debited = await debit(db, transaction, workspaceId, postings);
    for (const id of debited.paid) paid.add(id);
    Object.assign(refused, debited.refused);
  }
  const at = new Date();
  const changes = undecided.filter(({ id }) => paid.has(id)).map(({ id, status_detail }) => ({ id, status_detail, at }));
  const queued = await recordStatuses(db, transaction, { to: 'queued', changes });
  const unpaid = undecided.filter(({ id }) => !paid.has(id)).map(({ id }) => id);
  if (unpaid.length > 0) await select(db, 'DELETE FROM messages WHERE id = ANY($1::uuid[])', [unpaid], transaction);
  if (paid.size === 0) await select(db, 'DELETE FROM message_groups WHERE id = $1', [undecided[0]?.group_id], transaction);
  return { queued, refused };
}
