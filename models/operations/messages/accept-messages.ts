import { type Database, inTransaction, select, type Transaction } from '../../db/database.js';
import { lockNotAvailable, sqlStateOf } from '../../db/sql-state.js';
import type { MessageRow } from '../../tables/message.js';
import { groupBy } from '../../rules/values/group-by.js';
import { acceptOne, debitDescription } from './accept-one.js';
import { countGroupWork } from './count-group-work.js';
import { fenceMessages } from './fence-messages.js';
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

/** How long a group of several workspaces waits for the row of one of them, while it holds those of others. */
const sharedWaitMs = 100;
/**
 * How long all its workspaces together are waited for afterwards, one by one, holding no other, and how long those that are still locked. The API
 * gives up after three seconds.
 */
const [firstWaitMs, lastWaitMs] = [500, 1_300];

/**
 * Charges and queues the messages of a group that their workspaces can pay, and deletes the others. A second call changes nothing and
 * returns the same, but without `refused`.
 *
 * If the row of a workspace stays locked, for example by a process that stands still, only its messages are deleted: those of the others do not
 * wait for it.
 */
export async function acceptMessages(db: Database, groupId: string): Promise<Acceptance> {
  const one = await acceptOne(db, groupId);
  if (one !== null) return { accepted: [one.id], channel: one.channel, scheduledAt: one.scheduled_at, deliveries: 0 };
  const { accepted, refused, events } = await decideGroup(db, groupId).catch(async (error: unknown) => {
    if (sqlStateOf(error) !== lockNotAvailable) throw error;
    return decideApart(db, groupId, error);
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

interface Decided {
  accepted: Undecided[];
  refused: Record<string, Funds>;
  /** The messages that were queued now; null if that is not known of all. */
  events: Subscribed[] | null;
}

/** Decides all messages of the group in one transaction. @param only those of this workspace, whose row is waited for this long */
function decideGroup(db: Database, groupId: string, only?: { workspaceId: string; waitMs: number }): Promise<Decided> {
  return inTransaction(db, async (transaction) => {
    const rows = await select<Undecided>(db, lockGroup, [groupId, only?.workspaceId ?? null], transaction);
    const undecided = rows.filter(({ status }) => status === 'accepting');
    const isShared = new Set(undecided.map(({ workspace_id }) => workspace_id)).size > 1;
    const waitMs = only?.waitMs ?? (isShared ? sharedWaitMs : null);
    if (waitMs !== null) await select(db, limitWait, [`${waitMs}ms`], transaction);
    const charged = undecided.length === 0 ? null : await charge(db, transaction, undecided);
    const paid = new Set(charged?.queued.map(({ id }) => id));
    return {
      accepted: rows.filter(({ id, status }) => status !== 'accepting' || paid.has(id)),
      refused: charged?.refused ?? {},
      events: charged?.queued ?? null,
    };
  });
}

/**
 * Decides the messages of each workspace in a transaction of its own, and against those of a workspace whose row is still locked.
 * @throws the error, if the group has one workspace only
 */
async function decideApart(db: Database, groupId: string, error: unknown): Promise<Decided> {
  const members = await select<{ id: string; workspace_id: string }>(db, membersOf, [groupId]);
  let left = [...groupBy(members, ({ workspace_id }) => workspace_id)];
  if (left.length < 2) throw error;
  const decided: Decided = { accepted: [], refused: {}, events: null };
  for (const isLast of [false, true]) {
    const waitMs = Math.ceil((isLast ? lastWaitMs : firstWaitMs) / left.length);
    const late: typeof left = [];
    for (const member of left) {
      const own = await decideGroup(db, groupId, { workspaceId: member[0], waitMs }).catch(nullIfLocked);
      if (own === null) late.push(member);
      else {
        decided.accepted.push(...own.accepted);
        Object.assign(decided.refused, own.refused);
      }
    }
    left = late;
  }
  const locked = left.flatMap(([, messages]) => messages.map(({ id }) => id));
  if (locked.length > 0) await fenceMessages(db, locked);
  return decided;
}

function nullIfLocked(error: unknown): null {
  if (sqlStateOf(error) !== lockNotAvailable) throw error;
  return null;
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
  FROM messages WHERE group_id = $1 AND ($2::uuid IS NULL OR workspace_id = $2) ORDER BY id FOR UPDATE`;

const limitWait = `SELECT set_config('lock_timeout', $1, true)`;

const membersOf = 'SELECT id, workspace_id FROM messages WHERE group_id = $1 ORDER BY id';

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
  if (paid.size === 0) await select(db, deleteEmpty, [undecided[0]?.group_id], transaction);
  return { queued, refused };
}

const deleteEmpty = `
  DELETE FROM message_groups g WHERE g.id = $1 AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.group_id = g.id)`;
