/** A workspace: the account that messages, keys, webhooks and credits belong to. */
import {
  type CreationOptional,
  DataTypes,
  fn,
  col,
  where,
  type InferAttributes,
  type InferCreationAttributes,
  Model,
  type Sequelize,
} from 'sequelize';

export class Workspace extends Model<InferAttributes<Workspace>, InferCreationAttributes<Workspace>> {
  declare id: string;
  declare name: string;
  declare email: string;
  declare password_hash: string;
  declare phone: string | null;
  declare country: string | null;
  declare email_verified: CreationOptional<boolean>;
  /** Part of every JWT; raising it ends all older ones. */
  declare token_version: CreationOptional<number>;
  /** Thousandths of a credit; always the sum of the workspace's credit entries. */
  declare balance: CreationOptional<number>;
  /** Messages that its list shows: those that are decided. */
  declare message_count: CreationOptional<number>;
  /** Thousandths of a credit that may be debited in a day; null: as many as there are. */
  declare spend_limit_day: CreationOptional<number | null>;
  /** ISO 3166 alpha-2; null: phones of all countries are written to. */
  declare allowed_countries: CreationOptional<string[] | null>;
  /** Messages are erased after so many days; null: as the installation does. */
  declare message_days: CreationOptional<number | null>;
  /** Null where no second factor is in force. */
  declare totp_confirmed_at: CreationOptional<Date | null>;
  declare created_at: CreationOptional<Date>;
  declare updated_at: CreationOptional<Date>;

  /** The workspace with this e-mail address, whatever its case; null when there is none. */
  static byEmail(email: string): Promise<Workspace | null> {
    return Workspace.findOne({ where: where(fn('lower', col('email')), email.toLowerCase()) });
  }
}

export function initWorkspace(sequelize: Sequelize): void {
  Workspace.init(
    {
      id: { type: DataTypes.UUID, primaryKey: true },
      name: DataTypes.TEXT,
      email: DataTypes.TEXT,
      password_hash: DataTypes.TEXT,
      phone: DataTypes.TEXT,
      country: DataTypes.TEXT,
      email_verified: DataTypes.BOOLEAN,
      token_version: DataTypes.INTEGER,
      balance: DataTypes.BIGINT,
      message_count: DataTypes.BIGINT,
      spend_limit_day: DataTypes.BIGINT,
      allowed_countries: DataTypes.ARRAY(DataTypes.TEXT),
      message_days: DataTypes.INTEGER,
      totp_confirmed_at: DataTypes.DATE,
      created_at: DataTypes.DATE,
      updated_at: DataTypes.DATE,
    },
    { sequelize, tableName: 'workspaces' },
  );
}
