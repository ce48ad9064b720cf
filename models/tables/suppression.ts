/** A recipient who must not be written to on a channel: refused before hand-off. Rows are written by `operations/contacts/suppress.ts`. */
import { type CreationOptional, DataTypes, Op, type Sequelize } from 'sequelize';
import type { Channel } from '../channels.js';
import { Owned } from './owned.js';
import type { SuppressionReason, SuppressionSource } from '../rules/contacts/suppression.js';

export class Suppression extends Owned<Suppression> {
  static override readonly resource = 'Suppression';
  declare channel: Channel;
  /** As `recipientKey` makes it. */
  declare recipient: string;
  declare reason: SuppressionReason;
  declare source: SuppressionSource;
  declare message_id: string | null;
  /** Null: never. */
  declare expires_at: Date | null;
  declare created_at: CreationOptional<Date>;

  /** One page of those that hold, newest first; what is undefined does not filter. */
  static live(
    workspaceId: string,
    filters: { channel?: Channel | undefined; recipient?: string | undefined; reason?: SuppressionReason | undefined },
    { page, limit }: { page: number; limit: number },
  ): Promise<{ rows: Suppression[]; total: number }> {
    const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
    const where = { ...given, expires_at: { [Op.or]: [{ [Op.is]: null }, { [Op.gt]: new Date() }] } };
    return Suppression.ownedPage(workspaceId, { page, limit, where });
  }
}

export function initSuppression(sequelize: Sequelize): void {
  Suppression.init(
    {
      id: { type: DataTypes.UUID, primaryKey: true },
      workspace_id: DataTypes.UUID,
      channel: DataTypes.TEXT,
      recipient: DataTypes.TEXT,
      reason: DataTypes.TEXT,
      source: DataTypes.TEXT,
      message_id: DataTypes.UUID,
      expires_at: DataTypes.DATE,
      created_at: DataTypes.DATE,
    },
    { sequelize, tableName: 'suppressions' },
  );
}
