import { col, fn, literal, Op, where, type WhereOptions } from 'sequelize';
import type { Channel } from '../../channels.js';
import type { Database } from '../../db/database.js';
import { Message, type MessageRow } from '../../tables/message.js';
import { recipientKey } from '../../rules/messages/recipient.js';
import type { PublicStatus } from '../../rules/messages/status.js';
import type { Listed, ListWindow, RowCount } from '../../rules/values/list-window.js';
import { highestId, idAfter, idBefore, lowestId } from '../../rules/values/id-time.js';
import { Workspace } from '../../tables/workspace.js';
import { LargeCounts } from '../../flow/large-counts.js';
import { type IdRange, openPeriods } from './open-periods.js';
import { definedFields } from '../../rules/values/defined-fields.js';

/** Filters of the message history. An undefined filter does not filter. */
export interface HistoryFilters {
  status: PublicStatus | undefined;
  channel: Channel | undefined;
  /** A phone number, or an e-mail address in any letter case. */
  to: string | undefined;
  reference: string | undefined;
  batch_id: string | undefined;
  /** Created at or after. */
  start_date: Date | undefined;
  /** Created before or at. */
  end_date: Date | undefined;
}

const counts = new LargeCounts();

/**
 * A part of a workspace's messages, newest first, without undecided messages. The number of all messages is stored in the workspace's row.
 * The number of messages that a filter finds is counted; a large number may be up to half a minute old (docs/contract/README.md).
 */
export async function listMessages(
  db: Database,
  workspaceId: string,
  filters: HistoryFilters,
  window: ListWindow,
): Promise<Listed<MessageRow>> {
  const isWhole = Object.values(filters).every((value) => value === undefined);
  const { to, ...others } = filters;
  const { status, reference, batch_id } = others;
  // No index finds the sent messages, so only periods that have some are read. A recipient, a reference and a batch have few messages anyway.
  const readsPeriods = status === 'sent' && to === undefined && reference === undefined && batch_id === undefined;
  return Message.ownedPage(workspaceId, window, {
    where: whereOf(others, readsPeriods ? await openPeriods(db, workspaceId) : null),
    either: to === undefined ? [{}] : await sentTo(workspaceId, to),
    counting: isWhole ? () => countOf(workspaceId) : counts.of(workspaceId, filters),
  });
}

async function countOf(workspaceId: string): Promise<RowCount> {
  const { message_count } = await Workspace.findByPk(workspaceId, { attributes: ['message_count'], rejectOnEmpty: true });
  return { total: message_count, isFresh: true };
}

function whereOf(
  { start_date, end_date, status, ...filters }: Omit<HistoryFilters, 'to'>,
  ranges: IdRange[] | null,
): WhereOptions<MessageRow> {
  const ids = [
    ...(start_date === undefined && end_date === undefined ? [] : [idsBetween(start_date, end_date)]),
    ...(ranges === null ? [] : [{ [Op.or]: ranges.map((range) => ({ [Op.between]: range })) }]),
  ];
  const exact: Partial<Pick<MessageRow, keyof typeof filters>> = definedFields(filters);
  return {
    ...exact,
    ...(status === undefined ? { status: { [Op.ne]: 'accepting' } } : { status, ...impliedBy[status] }),
    ...createdBetween(start_date, end_date),
    ...(ids.length === 0 ? {} : { [Op.and]: ids.map((id) => ({ id })) }),
  };
}

/** Letter case is ignored in addresses. Those with capital letters have an index of their own, and few recipients have any. */
async function sentTo(workspaceId: string, to: string): Promise<WhereOptions<MessageRow>[]> {
  if (!to.includes('@')) return [{ to }];
  const key = recipientKey('email', to);
  const inCapitals = { [Op.and]: [where(fn('lower', col('to')), key), literal('"to" <> lower("to")')] };
  const found = await Message.findOne({ attributes: ['id'], where: { [Op.and]: [inCapitals, { workspace_id: workspaceId }] } });
  return found === null ? [{ to: key }] : [{ to: key }, inCapitals];
}

/**
 * What a status implies. PostgreSQL finds rare statuses by these columns: no index names `status` itself (migration 0042). No column marks
 * the messages that are only sent: `openPeriods` limits the search for them.
 */
const impliedBy: Readonly<Record<PublicStatus, WhereOptions<MessageRow>>> = {
  queued: { sent_at: null, failed_at: null },
  sent: {},
  delivered: {},
  failed: { failed_at: { [Op.ne]: null } },
  read: { read_at: { [Op.ne]: null } },
};

const createdBetween = (start: Date | undefined, end: Date | undefined): WhereOptions<MessageRow> =>
  start === undefined && end === undefined ? {} : { created_at: { ...(start && { [Op.gte]: start }), ...(end && { [Op.lte]: end }) } };

/** The ids limit what is read, because the list is in their order. `created_at` is exact. */
const idsBetween = (start: Date | undefined, end: Date | undefined) => ({
  [Op.between]: [start === undefined ? lowestId : idBefore(start), end === undefined ? highestId : idAfter(end)],
});
