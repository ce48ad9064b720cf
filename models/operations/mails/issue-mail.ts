import { makeId } from '../../rules/values/make-id.js';
import { type Database, select, type Transaction } from '../../db/database.js';
import type { MailKind } from '../../rules/accounts/mail-texts.js';
import { digestMailToken, type MailTokenPurpose, mailToken, mailTokenLifetimeMs } from '../../rules/accounts/mail-token.js';

const kinds = { verify: 'verify_email', reset: 'reset_password', change_email: 'change_email' } as const;

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
export async function issueMail(
  db: Database,
  transaction: Transaction,
  secretKey: string,
  { workspaceId, purpose, email }: TokenMail,
): Promise<string> {
  const [tokenId, mailId] = [makeId(), makeId()];
  const expiresAt = new Date(Date.now() + mailTokenLifetimeMs[purpose]);
  const digest = digestMailToken(mailToken(secretKey, tokenId));
  await select(db, voidOlder, [workspaceId, purpose], transaction);
  await select(db, insertToken, [tokenId, workspaceId, purpose, digest, expiresAt, email ?? null], transaction);
  await select(db, insertMail, [mailId, workspaceId, kinds[purpose], tokenId, email ?? null], transaction);
  return mailId;
}

const voidOlder = `UPDATE mail_tokens SET used_at = now(), email = NULL WHERE workspace_id = $1 AND purpose = $2 AND used_at IS NULL`;
const insertToken = `INSERT INTO mail_tokens (id, workspace_id, purpose, digest, expires_at, email) VALUES ($1, $2, $3, $4, $5, $6)`;
const insertMail = `INSERT INTO mails (id, workspace_id, kind, token_id, recipient) VALUES ($1, $2, $3, $4, $5)`;

/** How many mails of one kind a workspace gets per hour at most, so that requests of others cannot flood its mailbox. */
const mailsAnHourMax = 20;

/** Whether the workspace has reached the hourly limit of mails of this kind. Exact only if its row is locked. */
export async function hasReachedMailLimit(db: Database, transaction: Transaction, workspaceId: string, kind: MailKind): Promise<boolean> {
  const [row] = await select<{ sent: number }>(db, countMails, [workspaceId, kind], transaction);
  return (row?.sent ?? 0) >= mailsAnHourMax;
}

/** A mail that informs the owner of a workspace. */
interface Notice {
  kind: MailKind;
  /** What its text shows. */
  detail: object;
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
  { kind, detail }: Notice,
): Promise<string | null> {
  if (await hasReachedMailLimit(db, transaction, workspaceId, kind)) return null;
  const mailId = makeId();
  await select(db, insertNotice, [mailId, workspaceId, kind, JSON.stringify(detail)], transaction);
  return mailId;
}

const insertNotice = 'INSERT INTO mails (id, workspace_id, kind, detail) VALUES ($1, $2, $3, $4)';

const countMails = `
  SELECT count(*) AS sent FROM mails WHERE workspace_id = $1 AND kind = $2 AND created_at > now() - interval '1 hour'`;

/** Voids the tokens for changes of the e-mail address. They may have been requested with the former password. */
export async function voidEmailChanges(db: Database, transaction: Transaction, workspaceId: string): Promise<void> {
  await select(db, voidOlder, [workspaceId, 'change_email'], transaction);
}
