import { type Database, select } from '../database.js';
import { decrypt, encrypt, isEncryptedWith } from '../rules/encryption.js';
import { lowestId } from '../rules/id-time.js';
import { secretContext } from '../webhook.js';

const page = 500;

interface Sealed {
  id: string;
  secret: Buffer;
  old_secret: Buffer | null;
}

/**
 * Encrypts the secrets of all webhooks with the first of these keys, where another one was used. May run beside the service and more
 * than once: a secret that is rotated meanwhile is left as it became.
 * @param secretKeys today's key, then those that came before it
 * @returns how many webhooks it looked at, changed, and could not read with any key
 */
export async function reencryptSecrets(
  db: Database,
  secretKeys: readonly [string, ...string[]],
): Promise<{ webhooks: number; reencrypted: number; unreadable: string[] }> {
  const done = { webhooks: 0, reencrypted: 0, unreadable: [] as string[] };
  let after = lowestId;
  for (;;) {
    const rows = await select<Sealed>(db, next, [after, page]);
    for (const row of rows) {
      const changed = await reencrypt(db, secretKeys, row);
      if (changed === 'unreadable') done.unreadable.push(row.id);
      else if (changed) done.reencrypted += 1;
    }
    done.webhooks += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < page) return done;
    after = last.id;
  }
}

async function reencrypt(db: Database, secretKeys: readonly [string, ...string[]], row: Sealed): Promise<boolean | 'unreadable'> {
  let renewed: (Buffer | null)[];
  try {
    renewed = [row.secret, row.old_secret].map((sealed) => sealed && renew(secretKeys, row.id, sealed));
  } catch {
    return 'unreadable';
  }
  if (renewed[0] === row.secret && renewed[1] === row.old_secret) return false;
  return (await select(db, write, [row.id, row.secret, ...renewed])).length > 0;
}

function renew(secretKeys: readonly [string, ...string[]], id: string, sealed: Buffer): Buffer {
  const [today] = secretKeys;
  return isEncryptedWith(today, sealed) ? sealed : encrypt(today, secretContext(id), decrypt(secretKeys, secretContext(id), sealed));
}

const next = `SELECT id, secret, old_secret FROM webhooks WHERE id > $1 ORDER BY id LIMIT $2`;
const write = `UPDATE webhooks SET secret = $3, old_secret = $4 WHERE id = $1 AND secret = $2 RETURNING id`;
