/** A contact: a person to whom a workspace sends, reachable by phone, by e-mail, or both. */
import { Op, type WhereOptions } from 'sequelize';
import { column, type Columns, nullable, type RowOf, withDefault } from './columns.js';
import type { Channel } from '../channels.js';
import { ownedOf } from './owned.js';
import { addressField } from '../rules/messages/recipient.js';
import type { Listed, ListWindow } from '../rules/values/list-window.js';

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

  /** A part of a workspace's contacts, newest first. `search` is a part of a name, phone number or e-mail address, in any letter case. */
  static search(
    workspaceId: string,
    { search, tag }: { search?: string | undefined; tag?: string | undefined },
    window: ListWindow,
  ): Promise<Listed<Contact>> {
    const pattern = `%${(search ?? '').replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
    const anyCase = { [Op.iLike]: pattern };
    // A phone number has no letters. Comparing it in any letter case would take a third of the time of a search.
    const where: WhereOptions<RowOf<typeof contactColumns>> = {
      ...(search === undefined ? {} : { [Op.or]: [{ name: anyCase }, { phone: { [Op.like]: pattern } }, { email: anyCase }] }),
      ...(tag === undefined ? {} : { tags: { [Op.contains]: [tag] } }),
    };
    return Contact.ownedPage(workspaceId, window, { where });
  }
}
