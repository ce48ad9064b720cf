/** An account mail in the outbox. */
import type { MailDetail, MailKind } from '../rules/accounts/mail-kinds.js';
import { column, type Columns, nullable, withDefault } from './columns.js';
import { modelOf } from './model-of.js';

const mailColumns = {
  id: column.uuid(),
  workspace_id: column.uuid(),
  kind: column.text<MailKind>(),
  /** The token of its link; null: it has none. */
  token_id: withDefault(nullable(column.uuid())),
  detail: withDefault(nullable(column.json<MailDetail>())),
  /** Null: the address of the workspace. */
  recipient: withDefault(nullable(column.text())),
  /** When the watcher looks at it next. */
  look_at: withDefault(column.timestamp()),
  created_at: withDefault(column.timestamp()),
  sent_at: withDefault(nullable(column.timestamp())),
  /** The code with which the mail server refused the mail permanently; 0: it was dropped, because the account was closed. */
  refused_code: withDefault(nullable(column.integer())),
} satisfies Columns;

export class Mail extends modelOf(mailColumns) {}
