import { type Database, select } from '../../db/database.js';
import type { Mail } from '../../tables/mail.js';

/** A mail with its recipient. */
export interface LoadedMail extends Pick<Mail, 'kind' | 'token_id' | 'detail' | 'sent_at' | 'refused_code'> {
  email: string;
  /** Whether the address of the workspace is verified. */
  is_verified: boolean;
  /** Empty once the workspace is closed: its own name is gone by then. */
  name: string;
  /** The hash of its token; null if it has none. */
  token_digest: Buffer | null;
  /** Whether its link no longer works: the token has expired, was used, or was voided, for example by a newer one. */
  is_void: boolean;
}

/** Null if its workspace no longer exists. */
export async function loadMail(db: Database, id: string): Promise<LoadedMail | null> {
  const [mail] = await select<LoadedMail>(
    db,
    `SELECT m.kind, m.token_id, m.detail, COALESCE(m.recipient, w.email) AS email, w.email_verified AS is_verified, m.sent_at, m.refused_code,
       CASE WHEN w.closed_at IS NULL THEN w.name ELSE '' END AS name,
       t.digest AS token_digest, COALESCE(t.used_at IS NOT NULL OR t.expires_at <= now(), false) AS is_void
     FROM mails m JOIN workspaces w ON w.id = m.workspace_id LEFT JOIN mail_tokens t ON t.id = m.token_id WHERE m.id = $1`,
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
