/** A workspace: the account that owns messages, keys, webhooks and credits. */
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
  /** A part of every JWT. Any other value ends all JWTs with this one; see `newTokenVersion`. */
  token_version: withDefault(column.integer()),
  /** Thousandths of a credit. Always equals the sum of the workspace's ledger entries. */
  balance: withDefault(column.bigint()),
  /** What the balance lacked when credits were taken back, in thousandths of a credit. The next credits pay it first. */
  debt: withDefault(column.bigint()),
  /** The number of decided messages, which is the length of their list. */
  message_count: withDefault(column.bigint()),
  /** The number of its ledger entries that have a number. */
  entry_count: withDefault(column.bigint()),
  /** The maximum debits of a day, in thousandths of a credit; null: no limit. */
  spend_limit_day: withDefault(nullable(column.bigint())),
  /** ISO 3166 alpha-2 codes of the countries to whose phone numbers it may send; null: all. */
  allowed_countries: withDefault(nullable(column.texts())),
  /** After how many days messages are erased; null: as the installation does. */
  message_days: withDefault(nullable(column.integer())),
  /** Null if no second factor is enabled. */
  totp_confirmed_at: withDefault(nullable(column.timestamp())),
  created_at: withDefault(column.timestamp()),
  updated_at: withDefault(column.timestamp()),
} satisfies Columns;

export class Workspace extends modelOf(workspaceColumns) {
  /** The workspace with this e-mail address, in any letter case; null if there is none. */
  static byEmail(email: string): Promise<Workspace | null> {
    return Workspace.findOne({ where: where(fn('lower', col('email')), email.toLowerCase()) });
  }
}
