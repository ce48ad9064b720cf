import { Op, type WhereOptions } from 'sequelize';
import type { Channel } from '../../channels.js';
import { Message, type MessageRow } from '../../tables/message.js';
import type { PublicStatus } from '../../rules/messages/status.js';
import type { Listed, ListWindow } from '../../rules/values/list-window.js';
import { highestId, idAfter, idBefore, lowestId } from '../../rules/values/id-time.js';
import { Workspace } from '../../tables/workspace.js';
import { LargeCounts } from './large-counts.js';

/** Filters of the message history. An undefined filter does not filter. */
export interface HistoryFilters {
  status: PublicStatus | undefined;
  channel: Channel | undefined;
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
 * The number of messages that a filter finds is counted; a large number may be up to half a minute old (decisions §16).
 */
export function listMessages(workspaceId: string, filters: HistoryFilters, window: ListWindow): Promise<Listed<MessageRow>> {
  const isWhole = Object.values(filters).every((value) => value === undefined);
  return Message.ownedPage(workspaceId, window, {
    where: whereOf(filters),
    count: (all) => (isWhole ? countOf(workspaceId) : counts.get(JSON.stringify([workspaceId, filters]), all)),
  });
}

async function countOf(workspaceId: string): Promise<number> {
  const { message_count } = await Workspace.findByPk(workspaceId, { attributes: ['message_count'], rejectOnEmpty: true });
  return message_count;
}

function whereOf({ start_date, end_date, status, ...filters }: HistoryFilters): WhereOptions<MessageRow> {
  const exact = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
  return {
    ...exact,
    ...(status === undefined ? { status: { [Op.ne]: 'accepting' } } : { status, ...impliedBy[status] }),
    ...(start_date === undefined && end_date === undefined ? {} : createdBetween(start_date, end_date)),
  };
}

/** What a status implies. PostgreSQL finds rare statuses by these columns: no index names `status` itself (migration 0042). */
const impliedBy: Readonly<Record<PublicStatus, WhereOptions<MessageRow>>> = {
  queued: { sent_at: null, failed_at: null },
  sent: {},
  delivered: {},
  failed: { failed_at: { [Op.ne]: null } },
  read: { read_at: { [Op.ne]: null } },
};

/** The ids limit what is read, because the list is in their order. `created_at` is exact. */
function createdBetween(start: Date | undefined, end: Date | undefined): WhereOptions<MessageRow> {
  const [first, last] = [start === undefined ? lowestId : idBefore(start), end === undefined ? highestId : idAfter(end)];
  return {
    created_at: { ...(start && { [Op.gte]: start }), ...(end && { [Op.lte]: end }) },
    [Op.and]: [{ id: { [Op.between]: [first, last] } }],
  };
}
