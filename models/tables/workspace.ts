/** A workspace: the account that messages, keys, webhooks and credits belong to. */
import { fn, col, where } from 'sequelize';
import { column, type Columns, nullable, withDefault } from './columns.js';
import { modelOf } from './model-of.js';

const workspaceColumns = {
  id: column.uuid(),
  name: column.text(),
  email: column.text(),
  password_hash: column.text(),
  phone: nullable(column.text()),
  country: nullable(column.text()),
  email_verified: withDefault(column.boolean()),
  /** Part of every JWT; raising it ends all older ones. */
  token_version: withDefault(column.integer()),
  /** Thousandths of a credit; always the sum of the workspace's credit entries. */
  balance: withDefault(column.bigint()),
  /** Messages that its list shows: those that are decided. */
  message_count: withDefault(column.bigint()),
  /** Thousandths of a credit that may be debited in a day; null: as many as there are. */
  spend_limit_day: withDefault(nullable(column.bigint())),
  /** ISO 3166 alpha-2; null: phones of all countries are written to. */
  allowed_countries: withDefault(nullable(column.texts())),
  /** Messages are erased after so many days; null: as the installation does. */
  message_days: withDefault(nullable(column.integer())),
  /** Null where no second factor is in force. */
  totp_confirmed_at: withDefault(nullable(column.timestamp())),
  created_at: withDefault(column.timestamp()),
  updated_at: withDefault(column.timestamp()),
} satisfies Columns;

export class Workspace extends modelOf(workspaceColumns) {
  /** The workspace with this e-mail address, whatever its case; null when there is none. */
  static byEmail(email: string): Promise<Workspace | null> {
    return Workspace.findOne({ where: where(fn('lower', col('email')), email.toLowerCase()) });
  }
}
