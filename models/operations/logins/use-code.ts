import { type Database, select, type Transaction } from '../../db/database.js';
import { digestRecoveryCode, plainCode, stepOfCode } from '../../rules/accounts/totp.js';
import { decrypt } from '../../rules/values/encryption.js';

/** The second factor of a workspace, as stored. */
interface Factor {
  totp_secret: Buffer | null;
  totp_step: number | null;
}

export interface GivenCode {
  workspaceId: string;
  code: string;
}

/** Binds an encrypted secret to its workspace. */
export const totpContext = (workspaceId: string) => `totp:${workspaceId}`;

export interface UsedCode {
  /** Null for a code of the authenticator. */
  recoveryCodesLeft: number | null;
}

/**
 * Uses a code of the authenticator, or a recovery code. Each is valid once, also for concurrent requests. A recovery code needs no SECRET_KEY.
 * @returns null if it is neither
 * @throws Error if it is no recovery code, and the secret of the authenticator cannot be decrypted
 */
export async function useCode(
  db: Database,
  transaction: Transaction,
  secretKeys: readonly string[],
  { workspaceId, code }: GivenCode,
): Promise<UsedCode | null> {
  const [factor] = await select<Factor>(db, lock, [workspaceId], transaction);
  if (factor === undefined || factor.totp_secret === null) return null;
  const [used] = await select<{ others: number }>(db, useRecovery, [workspaceId, digestRecoveryCode(workspaceId, code)], transaction);
  if (used !== undefined) return { recoveryCodesLeft: used.others };
  const secret = decrypt(secretKeys, totpContext(workspaceId), factor.totp_secret);
  const step = stepOfCode(secret, plainCode(code), new Date(), factor.totp_step);
  if (step === null) return null;
  await select(db, 'UPDATE workspaces SET totp_step = $2 WHERE id = $1', [workspaceId, step], transaction);
  return { recoveryCodesLeft: null };
}

const lock = 'SELECT totp_secret, totp_step FROM workspaces WHERE id = $1 FOR NO KEY UPDATE';
const useRecovery = `
  UPDATE recovery_codes SET used_at = now() WHERE workspace_id = $1 AND digest = $2 AND used_at IS NULL
  RETURNING (SELECT count(*) FROM recovery_codes o WHERE o.workspace_id = $1 AND o.digest <> $2 AND o.used_at IS NULL) AS others`;
