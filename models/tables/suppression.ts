/**
 * A recipient to whom a workspace must not send on a channel. Messages to it are refused before hand-off. Rows that recipients made are in a table
 * that inherits from this one (`suppressions_by_recipients`), so that a recipient may have one of each kind.
 *
 * Only `operations/contacts/suppress.ts` adds rows; it also removes them for owners and operators. `record-opt-outs.ts` removes them at a START,
 * `settle-closed.ts` those of a closed account, `forget-suppressions.ts` those that have expired a day ago. An erasure (`erase-recipient.ts`) replaces
 * the recipient by a digest, and removes double rows.
 */
import { Op } from 'sequelize';
import { column, type Columns, nullable, withDefault } from './columns.js';
import type { Channel } from '../channels.js';
import { ownedOf } from './owned.js';
import type { SuppressionReason, SuppressionSource } from '../rules/contacts/suppression.js';
import type { Counting, Listed, ListWindow } from '../rules/values/list-window.js';
import { definedFields } from '../rules/values/defined-fields.js';

export const suppressionColumns = {
  id: column.uuid(),
  workspace_id: column.uuid(),
  channel: column.text<Channel>(),
  /** As `recipientKey` returns it. */
  recipient: column.text(),
  reason: column.text<SuppressionReason>(),
  source: column.text<SuppressionSource>(),
  message_id: nullable(column.uuid()),
  /** Null: it never expires. */
  expires_at: nullable(column.timestamp()),
  created_at: withDefault(column.timestamp()),
} satisfies Columns;

/** Filters of a list, each of a column. An undefined filter does not filter. */
export type SuppressionFilters = { [Name in 'channel' | 'recipient' | 'reason']?: Suppression[Name] | undefined };

export class Suppression extends ownedOf(suppressionColumns) {
  static override readonly resource = 'Suppression';

  /** A part of the suppressions that are in effect, newest first. */
  static pageOf(workspaceId: string, filters: SuppressionFilters, window: ListWindow, counting?: Counting): Promise<Listed<Suppression>> {
    const given = definedFields(filters);
    return Suppression.ownedPage(workspaceId, window, { where: { ...given, ...inEffect() }, counting });
  }
}

const inEffect = () => ({ expires_at: { [Op.or]: [{ [Op.is]: null }, { [Op.gt]: new Date() }] } });
