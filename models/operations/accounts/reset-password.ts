import type { Config } from '../../settings/config.js';
import { type Database, inTransaction, select, type Transaction } from '../../db/database.js';
import { commonPassword, invalidMailToken } from '../../errors.js';
import { createConcurrencyLimit } from '../../flow/concurrency-limit.js';
import { hashPassword } from '../../passwords.js';
import type { ClientDigests } from '../../rules/accounts/login-digest.js';
import { actingAs, type Origin } from '../../rules/audit/origin.js';
import { digestMailToken } from '../../rules/accounts/mail-token.js';
import { isMadeOfOwnWords } from '../../rules/accounts/own-words.js';
import { exemptClient } from '../logins/login-attempts.js';
import { deactivateWebhooks, remainingAccess, revokeApiKeys } from './revoke-access.js';
import { lockWorkspaceOf } from './as-caller.js';
import { endTotp } from './set-totp.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { whyTokenInvalid } from '../mails/why-token-invalid.js';
import { deleteSessions, newTokenVersion } from './end-sessions.js';
import { enqueueMail, voidTokens } from '../mails/mail-queue.js';

export interface PasswordReset {
  token: string;
  password: string;
  revokeApiKeys: boolean;
  /** Hashes of the client's network. Attempts of others do not block this client. */
  client: ClientDigests;
}

/** Uses of one token wait for each other, without a connection. So all but the first find that the token was used, and hash nothing. */
const inTurnOfToken = createConcurrencyLimit({ max: Number.POSITIVE_INFINITY, maxPerKey: 1 });

/**
 * Uses a reset token: sets the password, ends every JWT and, for this client, the lock of the logins, and mails the owner a list of what
 * still has access. If the address was never verified, another person may have signed up with it. Then all keys, all webhooks and the second
 * factor end as well, and the address becomes verified.
 * @returns the id of that mail and of the workspace
 * @throws AppError validation_failed if the token is unknown, used, expired, or voided by a newer one or a change of the password, or if the
 *   password consists of words of the account; the token stays valid then. unavailable if too many passwords wait
 */
export function resetPassword(
  { db, config }: { db: Database; config: Pick<Config, 'secretKeys'> },
  reset: PasswordReset,
  anybody: Origin,
): Promise<{ mailId: string; workspaceId: string }> {
  const digest = digestMailToken(reset.token);
  const use = async () => {
    const hash = await hashFor(db, digest, reset.password);
    return inTransaction(db, async (transaction) => {
      const workspace = await useToken(db, transaction, digest, hash);
      return endAccess({ db, config }, transaction, { ...reset, workspace }, anybody);
    });
  };
  return inTurnOfToken(use, digest.toString('hex'));
}

/** The hash of the new password. Outside of a transaction: a hash waits for its turn, and must hold neither a connection nor a lock meanwhile. */
async function hashFor(db: Database, digest: Buffer, password: string): Promise<string> {
  const [owner] = await select<Pick<Owner, 'id' | 'email' | 'name'>>(db, ownerOf, [digest]);
  if (owner === undefined) throw await refusalOf(db, digest);
  if (isMadeOfOwnWords(password, owner)) throw commonPassword();
  return hashPassword(password, owner.id);
}

/** Uses the token and sets the password. The row of the workspace is locked before that of the token, as where a token is voided. */
async function useToken(db: Database, transaction: Transaction, digest: Buffer, hash: string): Promise<Owner> {
  await lockWorkspaceOf(db, transaction, digest);
  const [used] = await select<{ workspace_id: string }>(db, markUsed, [digest], transaction);
  if (used === undefined) throw await refusalOf(db, digest, transaction);
  const [workspace] = await select<Owner>(db, setPassword, [used.workspace_id, hash], transaction);
  if (workspace === undefined) throw invalidMailToken();
  return workspace;
}

const refusalOf = async (db: Database, digest: Buffer, transaction?: Transaction) =>
  invalidMailToken(await whyTokenInvalid(db, digest, ['reset'], transaction));

/** Ends what had access to the workspace, records the reset, and mails the owner. */
async function endAccess(
  { db, config }: { db: Database; config: Pick<Config, 'secretKeys'> },
  transaction: Transaction,
  { workspace, ...reset }: PasswordReset & { workspace: Owner },
  anybody: Origin,
): Promise<{ mailId: string; workspaceId: string }> {
  const { id: workspaceId, email, name, was_verified } = workspace;
  const origin = actingAs(anybody, workspace);
  const changes = { revoke_api_keys: reset.revokeApiKeys || !was_verified };
  const target = { type: 'workspace', id: workspaceId, name } as const;
  await recordAuditEvent(db, transaction, origin, { workspaceId, type: 'auth.password_reset', target, changes });
  if (reset.revokeApiKeys || !was_verified) await revokeApiKeys(db, transaction, workspaceId, origin);
  await deleteSessions(db, transaction, workspaceId);
  await voidTokens(db, transaction, workspaceId, 'change_email'); // they may have been requested with the former password
  const hasLostTotp = !was_verified && (await endTotp(db, transaction, { workspaceId }, origin));
  if (!was_verified) {
    await deactivateWebhooks(db, transaction, workspaceId, origin);
    await recordAuditEvent(db, transaction, origin, { workspaceId, type: 'workspace.email_verified', target });
  }
  const hasTotp = was_verified && workspace.has_totp;
  await exemptClient(db, transaction, config.secretKeys, { email, client: reset.client, hasTotp });
  const detail = { ...(await remainingAccess(db, transaction, workspaceId)), ...(hasLostTotp ? { totp_disabled: true } : {}) };
  return { mailId: await enqueueMail(db, transaction, workspaceId, { kind: 'password_changed', detail }), workspaceId };
}

interface Owner {
  id: string;
  email: string;
  name: string;
  was_verified: boolean;
  has_totp: boolean;
}

const usable = `digest = $1 AND purpose = 'reset' AND used_at IS NULL AND expires_at > now()`;
const ownerOf = `SELECT id, email, name FROM workspaces WHERE id = (SELECT workspace_id FROM mail_tokens WHERE ${usable})`;
const markUsed = `UPDATE mail_tokens SET used_at = now() WHERE ${usable} RETURNING workspace_id`;

const setPassword = `
  UPDATE workspaces w SET password_hash = $2, token_version = ${newTokenVersion}, email_verified = true, updated_at = now()
  FROM (SELECT id, email_verified FROM workspaces WHERE id = $1 FOR NO KEY UPDATE) old
  WHERE w.id = old.id RETURNING w.id, w.email, w.name, old.email_verified AS was_verified, w.totp_confirmed_at IS NOT NULL AS has_totp`;
