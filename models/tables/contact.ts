/** A contact: somebody whom a workspace writes to, reachable by phone, by e-mail, or by both. */
import { type CreationOptional, DataTypes, type InferAttributes, Op, type Sequelize, type WhereOptions } from 'sequelize';
import type { Channel } from '../channels.js';
import { Owned } from './owned.js';
import { addressField } from '../rules/messages/recipient.js';

export class Contact extends Owned<Contact> {
  static override readonly resource = 'Contact';
  declare name: string | null;
  declare phone: string | null;
  declare email: string | null;
  declare tags: string[];
  declare custom_fields: Record<string, unknown>;
  declare created_at: CreationOptional<Date>;
  declare updated_at: CreationOptional<Date>;

  /** Where this contact is reached on a channel; null when nowhere. */
  addressOn(channel: Channel): string | null {
    return this[addressField(channel)];
  }

  /** One page of a workspace's contacts, newest first. `search` is part of a name, phone or address, in any case. */
  static search(
    workspaceId: string,
    { search, tag }: { search?: string | undefined; tag?: string | undefined },
    { page, limit }: { page: number; limit: number },
  ): Promise<{ rows: Contact[]; total: number }> {
    const pattern = { [Op.iLike]: `%${(search ?? '').replaceAll(/[\\%_]/g, String.raw`\$&`)}%` };
    const where: WhereOptions<InferAttributes<Contact>> = {
      ...(search === undefined ? {} : { [Op.or]: [{ name: pattern }, { phone: pattern }, { email: pattern }] }),
      ...(tag === undefined ? {} : { tags: { [Op.contains]: [tag] } }),
    };
    return Contact.ownedPage(workspaceId, { page, limit, where });
  }
}

export function initContact(sequelize: Sequelize): void {
  Contact.init(
    {
      id: { type: DataTypes.UUID, primaryKey: true },
      workspace_id: DataTypes.UUID,
      name: DataTypes.TEXT,
      phone: DataTypes.TEXT,
      email: DataTypes.TEXT,
      tags: DataTypes.ARRAY(DataTypes.TEXT),
      custom_fields: DataTypes.JSON,
      created_at: DataTypes.DATE,
      updated_at: DataTypes.DATE,
    },
    { sequelize, tableName: 'contacts' },
  );
}
