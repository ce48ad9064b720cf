import { type Database, select } from '../../db/database.js';
import { decrypt, encrypt, isEncryptedWith } from '../../rules/values/encryption.js';
import { lowestId } from '../../rules/values/id-time.js';
import { erasureKeyContext } from '../erasure/erasure-key.js';
import { secretContext, signingKeyContext } from '../../tables/webhook.js';

const page = 500;

/** The encrypted columns, each with its context. */
const columns = {
  secret: secretContext,
  old_secret: secretContext,
  signing_key: signingKeyContext,
  old_signing_key: signingKeyContext,
} as const;
const names = Object.keys(columns) as (keyof typeof columns)[];

type Sealed = { id: string } & Record<keyof typeof columns, Buffer | null>;

/**
 * Encrypts the secrets and private keys of all webhooks with the first of these keys, if they are encrypted with another one. May run
 * beside the service and repeatedly: a secret that is rotated meanwhile keeps its new value.
 * @param secretKeys the present key, then the earlier ones
 * @returns how many webhooks it checked, changed, and could not decrypt with any key
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
    renewed = names.map((name) => row[name] && renew(secretKeys, columns[name](row.id), row[name]));
  } catch {
    return 'unreadable';
  }
  if (names.every((name, index) => renewed[index] === row[name])) return false;
  return (await select(db, write, [row.id, row.secret, row.signing_key, ...renewed])).length > 0;
}

/** The same for the key of the erasures. @returns whether it was changed; null if no key opens it */
export async function reencryptErasureKey(db: Database, secretKeys: readonly [string, ...string[]]): Promise<boolean | null> {
  const [stored] = await select<{ sealed: Buffer }>(db, `SELECT sealed FROM installation_keys WHERE name = 'erasure'`);
  if (stored === undefined) return false;
  let sealed: Buffer;
  try {
    sealed = renew(secretKeys, erasureKeyContext, stored.sealed);
  } catch {
    return null;
  }
  if (sealed !== stored.sealed) await select(db, `UPDATE installation_keys SET sealed = $1 WHERE name = 'erasure'`, [sealed]);
  return sealed !== stored.sealed;
}

function renew(secretKeys: readonly [string, ...string[]], context: string, sealed: Buffer): Buffer {
  const [today] = secretKeys;
  return isEncryptedWith(today, sealed) ? sealed : encrypt(today, context, decrypt(secretKeys, context, sealed));
}

const next = `SELECT id, ${names.join(', ')} FROM webhooks WHERE id > $1 ORDER BY id LIMIT $2`;
const write = `
  UPDATE webhooks SET ${names.map((name, index) => `${name} = $${index + 4}`).join(', ')}
  WHERE id = $1 AND secret = $2 AND signing_key IS NOT DISTINCT FROM $3 RETURNING id`;
