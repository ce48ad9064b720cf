import { type Database, select } from '../../db/database.js';
import { decrypt, encrypt, isEncryptedWith } from '../../rules/values/encryption.js';
import { lowestId } from '../../rules/values/id-time.js';
import { totpContext } from '../logins/use-code.js';

const page = 500;

/**
 * Encrypts the TOTP secrets of all workspaces with the first of these keys, if they are encrypted with another one. May run beside the
 * service and repeatedly: a secret that changes meanwhile keeps its new value.
 * @returns how many secrets it checked, changed, and could not decrypt with any key
 */
export async function reencryptTotp(
  db: Database,
  secretKeys: readonly [string, ...string[]],
): Promise<{ secrets: number; reencrypted: number; unreadable: string[] }> {
  const done = { secrets: 0, reencrypted: 0, unreadable: [] as string[] };
  let after = lowestId;
  for (;;) {
    const rows = await select<{ id: string; totp_secret: Buffer }>(db, next, [after, page]);
    for (const { id, totp_secret: sealed } of rows) {
      if (isEncryptedWith(secretKeys[0], sealed)) continue;
      const secret = open(secretKeys, id, sealed);
      if (secret === null) done.unreadable.push(id);
      else done.reencrypted += (await select(db, write, [id, sealed, encrypt(secretKeys[0], totpContext(id), secret)])).length;
    }
    done.secrets += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < page) return done;
    after = last.id;
  }
}

function open(secretKeys: readonly string[], id: string, sealed: Buffer): string | null {
  try {
    return decrypt(secretKeys, totpContext(id), sealed);
  } catch {
    return null;
  }
}

const next = 'SELECT id, totp_secret FROM workspaces WHERE totp_secret IS NOT NULL AND id > $1 ORDER BY id LIMIT $2';
const write = 'UPDATE workspaces SET totp_secret = $3 WHERE id = $1 AND totp_secret = $2 RETURNING id';
