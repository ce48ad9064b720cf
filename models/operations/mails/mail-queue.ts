import { makeId } from '../../rules/values/make-id.js';
import { type Database, select, selectOne, type Transaction } from '../../db/database.js';
import type { MailKind } from '../../rules/accounts/mail-kinds.js';
import { digestMailToken, type MailTokenPurpose, mailToken, mailTokenLifetimeMs } from '../../rules/accounts/mail-token.js';

/** The kind of the mail that has a token of this purpose. */
export const mailKindOf = { verify: 'verify_email', reset: 'reset_password', change_email: 'change_email' } as const;

interface TokenMail {
  workspaceId: string;
  purpose: MailTokenPurpose;
  /** Where the mail goes, and the address that the token is about. Default: the workspace's own address. */
  email?: string;
}

/**
 * Creates a single-use token for a purpose, voids the older ones of that purpose, and puts a mail with the token into the outbox. The token
 * is not stored: the sender of the mail derives it from the id of its row.
 * @returns the id of the mail, for `workflowIds.mail`
 */
export async function enqueueTokenMail(
  db: Database,
  transaction: Transaction,
  secretKey: string,
  { workspaceId, purpose, email }: TokenMail,
): Promise<string> {
  const tokenId = makeId();
  const expiresAt = new Date(Date.now() + mailTokenLifetimeMs[purpose]);
  const digest = digestMailToken(mailToken(secretKey, tokenId));
  await voidTokens(db, transaction, workspaceId, purpose);
  await select(db, insertToken, [tokenId, workspaceId, purpose, digest, expiresAt, email ?? null], transaction);
  return enqueueMail(db, transaction, workspaceId, { kind: mailKindOf[purpose], tokenId, recipient: email });
}

/** Voids the tokens that were mailed for a purpose and are not used. */
export async function voidTokens(db: Database, transaction: Transaction, workspaceId: string, purpose: MailTokenPurpose): Promise<void> {
  await select(db, voidUnused, [workspaceId, purpose], transaction);
}

const voidUnused = `UPDATE mail_tokens SET used_at = now(), email = NULL WHERE workspace_id = $1 AND purpose = $2 AND used_at IS NULL`;
const insertToken = `INSERT INTO mail_tokens (id, workspace_id, purpose, digest, expires_at, email) VALUES ($1, $2, $3, $4, $5, $6)`;

interface NewMail {
  kind: MailKind;
  tokenId?: string;
  /** Default: the address of the workspace when the mail is sent. */
  recipient?: string | undefined;
  /** What its text shows. */
  detail?: object;
}

/** Puts a mail into the outbox. @returns its id, for `workflowIds.mail` */
export async function enqueueMail(
  db: Database,
  transaction: Transaction,
  workspaceId: string,
  { kind, tokenId, recipient, detail }: NewMail,
): Promise<string> {
  const mailId = makeId();
  const bind = [mailId, workspaceId, kind, tokenId ?? null, recipient ?? null, detail === undefined ? null : JSON.stringify(detail)];
  await select(db, insertMail, bind, transaction);
  return mailId;
}

const insertMail = `INSERT INTO mails (id, workspace_id, kind, token_id, recipient, detail) VALUES ($1, $2, $3, $4, $5, $6)`;

/** How many mails of one kind a workspace gets per hour at most, so that requests of others cannot flood its mailbox. */
const mailsAnHourMax = 20;

/** Whether the workspace has reached the hourly limit of mails of this kind. Exact only if its row is locked. */
export async function hasReachedMailLimit(db: Database, transaction: Transaction, workspaceId: string, kind: MailKind): Promise<boolean> {
  return (await selectOne<{ sent: number }>(db, countMails, [workspaceId, kind], transaction)).sent >= mailsAnHourMax;
}

/**
 * Puts a notice into the outbox, unless the workspace has reached the hourly limit of this kind: its address may belong to
 * another person, whose mailbox must not be flooded.
 * @returns the id of the mail; null if there is none
 */
export async function enqueueNotice(
  db: Database,
  transaction: Transaction,
  workspaceId: string,
  notice: Required<Pick<NewMail, 'kind' | 'detail'>>,
): Promise<string | null> {
  if (await hasReachedMailLimit(db, transaction, workspaceId, notice.kind)) return null;
  return enqueueMail(db, transaction, workspaceId, notice);
}

const countMails = `
  SELECT count(*) AS sent FROM mails WHERE workspace_id = $1 AND kind = $2 AND created_at > now() - interval '1 hour'`;
