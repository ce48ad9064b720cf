/** A contact: a person to whom a workspace sends, reachable by phone, by e-mail, or both. */
import { Op } from 'sequelize';
import { column, type Columns, nullable, withDefault } from './columns.js';
import type { Channel } from '../channels.js';
import { ownedOf } from './owned.js';
import { addressField } from '../rules/messages/recipient.js';
import type { Listed, ListWindow } from '../rules/values/list-window.js';

/** The most characters of a name. An e-mail address has fewer. */
export const nameLengthMax = 255;

const contactColumns = {
  id: column.uuid(),
  workspace_id: column.uuid(),
  name: nullable(column.text()),
  phone: nullable(column.text()),
  email: nullable(column.text()),
  tags: column.texts(),
  custom_fields: column.json<Record<string, unknown>>(),
  created_at: withDefault(column.timestamp()),
  updated_at: withDefault(column.timestamp()),
} satisfies Columns;

export class Contact extends ownedOf(contactColumns) {
  static override readonly resource = 'Contact';

  /** The address of this contact on a channel; null if it has none. */
  addressOn(channel: Channel): string | null {
    return this[addressField(channel)];
  }

  /** A part of a workspace's contacts, newest first. @param tag only those with this tag */
  static pageOf(workspaceId: string, tag: string | undefined, window: ListWindow): Promise<Listed<Contact>> {
    return Contact.ownedPage(workspaceId, window, { where: tag === undefined ? {} : { tags: { [Op.contains]: [tag] } } });
  }
}
