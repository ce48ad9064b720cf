import { Op, type WhereOptions } from 'sequelize';
import type { Channel } from '../../channels.js';
import { Message, type MessageRow } from '../../tables/message.js';
import type { PublicStatus } from '../../rules/messages/status.js';
import type { Listed, ListWindow } from '../../rules/values/list-window.js';
import { Workspace } from '../../tables/workspace.js';

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

/**
 * A part of a workspace's messages, newest first, without undecided messages. The number of all messages is stored in the workspace's row.
 * The number of messages that a filter finds is counted.
 */
export function listMessages(workspaceId: string, filters: HistoryFilters, window: ListWindow): Promise<Listed<MessageRow>> {
  const isWhole = Object.values(filters).every((value) => value === undefined);
  return Message.ownedPage(workspaceId, window, { where: whereOf(filters), count: isWhole ? () => countOf(workspaceId) : undefined });
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
