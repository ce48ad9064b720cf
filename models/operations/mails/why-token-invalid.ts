import { type Database, select, type Transaction } from '../../db/database.js';
import type { MailTokenPurpose } from '../../rules/accounts/mail-token.js';

/**
 * Why a token of a mail cannot be used. The reason is safe to show, because only the recipient of the mail knows the token.
 * @returns a sentence; undefined if there is no such token
 */
export async function whyTokenInvalid(
  db: Database,
  digest: Buffer,
  purposes: readonly MailTokenPurpose[],
  transaction?: Transaction,
): Promise<string | undefined> {
  const [row] = await select<{ purpose: MailTokenPurpose; is_used: boolean; email_verified: boolean }>(
    db,
    find,
    [digest, purposes],
    transaction,
  );
  if (row === undefined) return undefined;
  if (!row.is_used) return 'The link has expired: get a new one';
  if (row.purpose === 'verify' && row.email_verified) return 'The address is verified already: you can log in';
  return 'The link was used already, or a newer e-mail or a change of the password has replaced it';
}

const find = `
  SELECT t.purpose, t.used_at IS NOT NULL AS is_used, w.email_verified
  FROM mail_tokens t JOIN workspaces w ON w.id = t.workspace_id
  WHERE t.digest = $1 AND t.purpose = ANY($2::text[])`;
