import { Op, type WhereOptions } from 'sequelize';
import type { Channel } from '../../channels.js';
import { Message, type MessageRow } from '../../tables/message.js';
import type { PublicStatus } from '../../rules/messages/status.js';
import { Workspace } from '../../tables/workspace.js';

/** Filters of the message history; what is undefined does not filter. */
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

/**
 * One page of a workspace's messages, newest first. Messages that nobody has decided on yet are not among them. How many there are in all
 * stands in the workspace's row; how many a filter finds is counted.
 */
export async function listMessages(
  workspaceId: string,
  filters: HistoryFilters,
  { page, limit }: { page: number; limit: number },
): Promise<{ rows: MessageRow[]; total: number }> {
  const total = Object.values(filters).every((value) => value === undefined) ? await countOf(workspaceId) : undefined;
  return Message.ownedPage(workspaceId, { page, limit, total, where: whereOf(filters) });
}

async function countOf(workspaceId: string): Promise<number> {
  const { message_count } = await Workspace.findByPk(workspaceId, { attributes: ['message_count'], rejectOnEmpty: true });
  return message_count;
}

function whereOf({ start_date, end_date, status, ...filters }: HistoryFilters): WhereOptions<MessageRow> {
  const exact = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
  return {
    ...exact,
    status: status ?? { [Op.ne]: 'accepting' },
    ...(start_date === undefined && end_date === undefined
      ? {}
      : { created_at: { ...(start_date && { [Op.gte]: start_date }), ...(end_date && { [Op.lte]: end_date }) } }),
  };
}
