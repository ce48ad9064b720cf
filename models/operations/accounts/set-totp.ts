/**
 * The second factor of a workspace. It is offered, is enabled when a code proves that an authenticator has the secret, and is removed
 * with a code.
 */
import { type Database, select, type Transaction } from '../../db/database.js';
import { invalidCode } from '../../errors.js';
import { invalidToken } from '../../refused-credentials.js';
import { totpAlreadyEnabled, totpNotEnabled, totpNotSetUp } from '../../conflicts.js';
import { digestRecoveryCode, generateRecoveryCodes, generateTotpSecret, plainCode, stepOfCode } from '../../rules/accounts/totp.js';
import type { ClientDigests } from '../../rules/accounts/login-digest.js';
import type { Origin } from '../../rules/audit/origin.js';
import { decrypt, encrypt } from '../../rules/values/encryption.js';
import { Workspace } from '../../tables/workspace.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { enqueueNotice } from '../mails/mail-queue.js';
import { asCaller } from './as-caller.js';
import { clearAttempt, countAttempt, uncountIfItFails } from '../logins/login-attempts.js';
import { type LoginAttemptDeps, noteFailedAttempt } from '../logins/note-failed-attempt.js';
import { type GivenCode, totpContext, useCode } from '../logins/use-code.js';

/**
 * Creates a secret and recovery codes. Both are shown once. They replace an earlier offer.
 * @throws AppError conflict if a second factor is enabled, unauthorized if the credential has ended
 */
export function offerTotp(
  db: Database,
  secretKey: string,
  workspaceId: string,
  origin: Origin,
): Promise<{ secret: string; recoveryCodes: string[] }> {
  const [secret, recoveryCodes] = [generateTotpSecret(), generateRecoveryCodes()];
  return asCaller(db, workspaceId, origin, async (transaction) => {
    const sealed = encrypt(secretKey, totpContext(workspaceId), secret);
    if ((await select(db, offer, [workspaceId, sealed], transaction)).length === 0) throw totpAlreadyEnabled();
    await deleteCodes(db, transaction, workspaceId);
    const digests = recoveryCodes.map((code) => digestRecoveryCode(workspaceId, code));
    await select(db, keepCodes, [workspaceId, digests], transaction);
    return { secret, recoveryCodes };
  });
}

/**
 * Enables the offered second factor, and notifies the owner by mail.
 * @param given.code from the authenticator
 * @returns the id of the mail; null if the owner has reached the limit of mails
 * @throws AppError validation_failed if the code is wrong, conflict if nothing was offered or one is enabled already, unauthorized if the
 *   credential has ended
 */
export function confirmTotp(
  db: Database,
  secretKeys: readonly string[],
  { workspaceId, code }: GivenCode,
  origin: Origin,
): Promise<string | null> {
  return asCaller(db, workspaceId, origin, async (transaction) => {
    const [offered] = await select<{ totp_secret: Buffer }>(db, findOffered, [workspaceId], transaction);
    if (offered === undefined) throw totpNotSetUp();
    const secret = decrypt(secretKeys, totpContext(workspaceId), offered.totp_secret);
    const step = stepOfCode(secret, plainCode(code), new Date(), null);
    if (step === null) throw invalidCode();
    const [{ name } = { name: '' }] = await select<{ name: string }>(db, confirm, [workspaceId, step], transaction);
    await recordAuditEvent(db, transaction, origin, {
      workspaceId,
      type: 'auth.totp_enabled',
      target: { type: 'workspace', id: workspaceId, name },
    });
    // A thief of a JWT can set up a second factor, too.
    return enqueueNotice(db, transaction, workspaceId, { kind: 'totp_enabled', detail: { address: origin.address } });
  });
}

/**
 * Removes the second factor, and notifies the owner by mail. Wrong codes are counted and recorded like wrong passwords, so that a stolen JWT
 * cannot be used to try all codes.
 * @param removal a code from the authenticator or a recovery code, and the hashes of the client's network
 * @returns the id of the mail; null if the owner has reached the limit of mails
 * @throws AppError validation_failed if the code is wrong, conflict if none is enabled, rate_limited while attempts are blocked, unauthorized if
 *   the credential has ended
 */
export async function removeTotp(
  deps: LoginAttemptDeps,
  { workspaceId, code, client }: { workspaceId: string; code: string; client: ClientDigests },
  origin: Origin,
): Promise<string | null> {
  const { db, config } = deps;
  await assertTotpEnabled(db, workspaceId);
  const owner = await Workspace.findByPk(workspaceId, { attributes: ['id', 'email', 'name'] });
  if (owner === null) throw invalidToken();
  const attempt = await countAttempt(db, config.secretKeys, owner.email, client);
  const remove = async (transaction: Transaction) => {
    await assertTotpEnabled(db, workspaceId, transaction);
    const used = await useCode(db, transaction, config.secretKeys, { workspaceId, code });
    return used !== null ? { mailId: await disable(db, transaction, { workspaceId }, origin) } : undefined;
  };
  const removed = await uncountIfItFails(db, attempt, () => asCaller(db, workspaceId, origin, remove));
  if (removed === undefined) {
    await noteFailedAttempt(deps, { workspace: owner, attempt, reason: 'wrong_removal_code' }, origin);
    throw invalidCode();
  }
  await clearAttempt(db, attempt);
  return removed.mailId;
}

/**
 * Removes the second factor of an owner who has lost it, and notifies the owner by mail.
 * @returns the id of the mail; null if the owner has reached the limit of mails
 * @throws AppError conflict if none is enabled
 */
export function removeTotpByOperator(db: Database, workspaceId: string, reason: string, origin: Origin): Promise<string | null> {
  return asCaller(db, workspaceId, origin, async (transaction) => {
    await assertTotpEnabled(db, workspaceId, transaction);
    return disable(db, transaction, { workspaceId, reason }, origin);
  });
}

async function disable(db: Database, transaction: Transaction, factor: EndedFactor, origin: Origin): Promise<string | null> {
  await endTotp(db, transaction, factor, origin);
  return enqueueNotice(db, transaction, factor.workspaceId, { kind: 'totp_disabled', detail: { address: origin.address } });
}

/** Inside a transaction, the lock keeps it enabled. @throws AppError conflict if no second factor is enabled */
async function assertTotpEnabled(db: Database, workspaceId: string, transaction?: Transaction): Promise<void> {
  if ((await select(db, lockEnabled, [workspaceId], transaction)).length === 0) throw totpNotEnabled();
}

interface EndedFactor {
  workspaceId: string;
  /** Given by an operator. */
  reason?: string | undefined;
}

/**
 * Deletes the second factor of a workspace with its recovery codes, and records this if it was enabled, not only offered.
 * @returns whether it was enabled
 */
export async function endTotp(
  db: Database,
  transaction: Transaction,
  { workspaceId, reason }: EndedFactor,
  origin: Origin,
): Promise<boolean> {
  const [ended] = await select<{ was_enabled: boolean }>(db, clearTotp, [workspaceId], transaction);
  await deleteCodes(db, transaction, workspaceId);
  if (ended?.was_enabled !== true) return false;
  const target = { type: 'workspace', id: workspaceId, name: null } as const;
  const changes = reason === undefined ? null : { reason };
  await recordAuditEvent(db, transaction, origin, { workspaceId, type: 'auth.totp_disabled', target, changes });
  return true;
}

async function deleteCodes(db: Database, transaction: Transaction, workspaceId: string): Promise<void> {
  await select(db, 'DELETE FROM recovery_codes WHERE workspace_id = $1', [workspaceId], transaction);
}

const offer = `
  UPDATE workspaces SET totp_secret = $2, totp_step = NULL WHERE id = $1 AND totp_confirmed_at IS NULL AND closed_at IS NULL RETURNING id`;
const keepCodes = 'INSERT INTO recovery_codes (workspace_id, digest) SELECT $1, unnest($2::bytea[])';
const findOffered = `
  SELECT totp_secret FROM workspaces WHERE id = $1 AND totp_confirmed_at IS NULL AND totp_secret IS NOT NULL`;
const lockEnabled = 'SELECT id FROM workspaces WHERE id = $1 AND totp_confirmed_at IS NOT NULL FOR NO KEY UPDATE';
const confirm = 'UPDATE workspaces SET totp_confirmed_at = now(), totp_step = $2 WHERE id = $1 RETURNING name';
const clearTotp = `
  UPDATE workspaces w SET totp_secret = NULL, totp_confirmed_at = NULL, totp_step = NULL
  FROM (SELECT id, totp_confirmed_at FROM workspaces WHERE id = $1 FOR NO KEY UPDATE) old
  WHERE w.id = old.id RETURNING old.totp_confirmed_at IS NOT NULL AS was_enabled`;
