import { type Database, select } from '../../db/database.js';
import type { MailDetail, MailKind } from '../../rules/accounts/mail-texts.js';

/** A mail with its recipient. */
export interface Mail {
  kind: MailKind;
  token_id: string | null;
  detail: MailDetail | null;
  email: string;
  name: string;
  sent_at: Date | null;
}

/** Null if its workspace no longer exists. */
export async function loadMail(db: Database, id: string): Promise<Mail | null> {
  const [mail] = await select<Mail>(
    db,
    `SELECT m.kind, m.token_id, m.detail, COALESCE(m.recipient, w.email) AS email, w.name, m.sent_at
     FROM mails m JOIN workspaces w ON w.id = m.workspace_id WHERE m.id = $1`,
    [id],
  );
  return mail ?? null;
}

export async function markMailSent(db: Database, id: string): Promise<void> {
  await select(db, 'UPDATE mails SET sent_at = now(), recipient = NULL WHERE id = $1 AND sent_at IS NULL', [id]);
}

/** Notes that the mail server refused the mail permanently. There are no further attempts. */
export async function markMailRefused(db: Database, id: string, code: number): Promise<void> {
  await select(db, 'UPDATE mails SET refused_code = $2, recipient = NULL WHERE id = $1', [id, code]);
}
