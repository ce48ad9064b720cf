import { type Database, select } from '../../db/database.js';
import { reencryptRows } from '../../db/reencrypt-rows.js';
import { reencryptValue } from '../../rules/values/encryption.js';
import { totpContext } from '../logins/use-code.js';

interface Sealed {
  /** Of the workspace. */
  id: string;
  totp_secret: Buffer;
  is_enabled: boolean;
}

/**
 * Encrypts the TOTP secrets of all workspaces with the first of these keys, if they are encrypted with another one. May run beside the
 * service and repeatedly: a secret that changes meanwhile keeps its new value.
 * @param secretKeys the present key, then the earlier ones
 * @returns how many secrets it checked and changed, and the workspaces whose second factor no key decrypts, without those that were only offered
 */
export async function reencryptTotp(
  db: Database,
  secretKeys: readonly [string, ...string[]],
): Promise<{ secrets: number; reencrypted: number; unreadable: string[] }> {
  const { checked: secrets, ...done } = await reencryptRows<Sealed>(db, nextPage, (row) => reencrypt(db, secretKeys, row));
  return { secrets, ...done };
}

async function reencrypt(
  db: Database,
  secretKeys: readonly [string, ...string[]],
  { id, totp_secret: sealed, is_enabled }: Sealed,
): Promise<boolean | 'unreadable'> {
  const renewed = reencryptValue(secretKeys, totpContext(id), sealed);
  if (renewed === null) return is_enabled ? 'unreadable' : false;
  return renewed !== sealed && (await select(db, write, [id, sealed, renewed])).length > 0;
}

const nextPage = `
  SELECT id, totp_secret, totp_confirmed_at IS NOT NULL AS is_enabled FROM workspaces
  WHERE totp_secret IS NOT NULL AND id > $1 ORDER BY id LIMIT $2`;
const write = 'UPDATE workspaces SET totp_secret = $3 WHERE id = $1 AND totp_secret = $2 RETURNING id';
