/**
 * The second factor of a workspace. It is offered, comes into force when a code proves that an authenticator has the secret, and is removed
 * with a code.
 */
import { totpAlreadyEnabled, totpNotEnabled, totpNotSetUp } from '../../conflicts.js';
import { type Database, inTransaction, select, type Transaction } from '../../db/database.js';
import { invalidCode } from '../../errors.js';
import { digestRecoveryCode, generateRecoveryCodes, generateTotpSecret, plainCode, stepOfCode } from '../../rules/accounts/totp.js';
import type { Origin } from '../../rules/audit/origin.js';
import { decrypt, encrypt } from '../../rules/values/encryption.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { totpContext, useCode } from './use-code.js';

/**
 * Creates a secret and recovery codes. Both are shown once. They replace an earlier offer.
 * @throws AppError conflict if a second factor is in force
 */
export function offerTotp(db: Database, secretKey: string, workspaceId: string): Promise<{ secret: string; recoveryCodes: string[] }> {
  const [secret, recoveryCodes] = [generateTotpSecret(), generateRecoveryCodes()];
  return inTransaction(db, async (transaction) => {
    const sealed = encrypt(secretKey, totpContext(workspaceId), secret);
    if ((await select(db, offer, [workspaceId, sealed], transaction)).length === 0) throw totpAlreadyEnabled();
    await forgetCodes(db, transaction, workspaceId);
    const digests = recoveryCodes.map((code) => digestRecoveryCode(workspaceId, code));
    await select(db, keepCodes, [workspaceId, digests], transaction);
    return { secret, recoveryCodes };
  });
}

/**
 * Puts the offered second factor into force. @param code from the authenticator
 * @throws AppError validation_failed if the code is wrong, conflict if nothing was offered or one is in force already
 */
export function confirmTotp(db: Database, secretKeys: readonly string[], workspaceId: string, code: string, origin: Origin): Promise<void> {
  return inTransaction(db, async (transaction) => {
    const [offered] = await select<{ totp_secret: Buffer }>(db, lockOffered, [workspaceId], transaction);
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
  });
}

/**
 * Removes the second factor. @param code from the authenticator, or a recovery code
 * @throws AppError validation_failed if the code is wrong, conflict if none is in force
 */
export function removeTotp(db: Database, secretKeys: readonly string[], workspaceId: string, code: string, origin: Origin): Promise<void> {
  return inTransaction(db, async (transaction) => {
    await assertTotpInForce(db, workspaceId, transaction);
    if (!(await useCode(db, transaction, secretKeys, workspaceId, code))) throw invalidCode();
    await forgetTotp(db, transaction, workspaceId);
    const target = { type: 'workspace', id: workspaceId, name: null };
    await recordAuditEvent(db, transaction, origin, { workspaceId, type: 'auth.totp_disabled', target });
  });
}

/** Inside a transaction, the lock keeps it in force. @throws AppError conflict if no second factor is in force */
export async function assertTotpInForce(db: Database, workspaceId: string, transaction?: Transaction): Promise<void> {
  if ((await select(db, lockInForce, [workspaceId], transaction)).length === 0) throw totpNotEnabled();
}

/** Deletes the second factor of a workspace with its recovery codes. */
export async function forgetTotp(db: Database, transaction: Transaction, workspaceId: string): Promise<void> {
  await select(db, forget, [workspaceId], transaction);
  await forgetCodes(db, transaction, workspaceId);
}

async function forgetCodes(db: Database, transaction: Transaction, workspaceId: string): Promise<void> {
  await select(db, 'DELETE FROM recovery_codes WHERE workspace_id = $1', [workspaceId], transaction);
}

const offer = `
  UPDATE workspaces SET totp_secret = $2, totp_step = NULL WHERE id = $1 AND totp_confirmed_at IS NULL AND closed_at IS NULL RETURNING id`;
const keepCodes = 'INSERT INTO recovery_codes (workspace_id, digest) SELECT $1, unnest($2::bytea[])';
const lockOffered = `
  SELECT totp_secret FROM workspaces WHERE id = $1 AND totp_confirmed_at IS NULL AND totp_secret IS NOT NULL FOR NO KEY UPDATE`;
const lockInForce = 'SELECT id FROM workspaces WHERE id = $1 AND totp_confirmed_at IS NOT NULL FOR NO KEY UPDATE';
const confirm = 'UPDATE workspaces SET totp_confirmed_at = now(), totp_step = $2 WHERE id = $1 RETURNING name';
const forget = 'UPDATE workspaces SET totp_secret = NULL, totp_confirmed_at = NULL, totp_step = NULL WHERE id = $1';
