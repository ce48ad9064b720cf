import { v7 as uuidv7 } from 'uuid';
import { type Database, select, type Transaction } from '../database.js';
import { digestMailToken, type MailTokenPurpose, mailToken, mailTokenLifetimeMs } from '../rules/mail-token.js';

const kinds = { verify: 'verify_email', reset: 'reset_password' } as const;

/**
 * Makes a single-use token for a purpose, voids the older ones of that purpose, and puts a mail that will carry it into
 * the outbox. The token is not stored: whoever sends the mail derives it from the id of its row.
 * @returns the id of the mail, for `workflowIds.mail`
 */
export async function issueMail(
  db: Database,
  transaction: Transaction,
  secretKey: string,
  { workspaceId, purpose }: { workspaceId: string; purpose: MailTokenPurpose },
): Promise<string> {
  const [tokenId, mailId] = [uuidv7(), uuidv7()];
  const expiresAt = new Date(Date.now() + mailTokenLifetimeMs[purpose]);
  await select(db, voidOlder, [workspaceId, purpose], transaction);
  await select(db, insertToken, [tokenId, workspaceId, purpose, digestMailToken(mailToken(secretKey, tokenId)), expiresAt], transaction);
  await select(db, insertMail, [mailId, workspaceId, kinds[purpose], tokenId], transaction);
  return mailId;
}

const voidOlder = `UPDATE mail_tokens SET used_at = now() WHERE workspace_id = $1 AND purpose = $2 AND used_at IS NULL`;
const insertToken = `INSERT INTO mail_tokens (id, workspace_id, purpose, digest, expires_at) VALUES ($1, $2, $3, $4, $5)`;
const insertMail = `INSERT INTO mails (id, workspace_id, kind, token_id) VALUES ($1, $2, $3, $4)`;
