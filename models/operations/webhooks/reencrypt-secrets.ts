import { type Database, select } from '../../db/database.js';
import { reencryptRows } from '../../db/reencrypt-rows.js';
import { reencryptValue } from '../../rules/values/encryption.js';
import { secretContext, signingKeyContext } from '../../tables/webhook.js';

/** The encrypted columns, each with its context. */
const columns = {
  secret: secretContext,
  old_secret: secretContext,
  signing_key: signingKeyContext,
  old_signing_key: signingKeyContext,
} as const;
const names = Object.keys(columns) as (keyof typeof columns)[];

type Sealed = { id: string; is_deleted: boolean } & Record<keyof typeof columns, Buffer | null>;

/**
 * Encrypts the secrets and private keys of all webhooks with the first of these keys, if they are encrypted with another one. May run
 * while the service runs, and repeatedly: a secret that is rotated meanwhile keeps its new value. A former secret that no longer signs is not
 * needed, and is deleted if the present one changes.
 * @param secretKeys the present key, then the earlier ones
 * @returns how many webhooks it checked and changed, and those that it could not decrypt with any key, without deleted ones: they never sign again
 */
export async function reencryptSecrets(
  db: Database,
  secretKeys: readonly [string, ...string[]],
): Promise<{ webhooks: number; reencrypted: number; unreadable: string[] }> {
  const { checked: webhooks, ...done } = await reencryptRows<Sealed>(db, nextPage, (row) => reencrypt(db, secretKeys, row));
  return { webhooks, ...done };
}

async function reencrypt(db: Database, secretKeys: readonly [string, ...string[]], row: Sealed): Promise<boolean | 'unreadable'> {
  const renewed = names.map((name) => row[name] && reencryptValue(secretKeys, columns[name](row.id), row[name]));
  if (names.some((name, index) => row[name] !== null && renewed[index] === null)) return row.is_deleted ? false : 'unreadable';
  if (names.every((name, index) => renewed[index] === row[name])) return false;
  return (await select(db, write, [row.id, row.secret, row.signing_key, ...renewed])).length > 0;
}

const whileItSigns = (name: string) => `CASE WHEN old_secret_until > now() THEN ${name} END AS ${name}`;
const nextPage = `
  SELECT id, deleted_at IS NOT NULL AS is_deleted, secret, signing_key, ${['old_secret', 'old_signing_key'].map(whileItSigns).join(', ')}
  FROM webhooks WHERE id > $1 ORDER BY id LIMIT $2`;
const write = `
  UPDATE webhooks SET ${names.map((name, index) => `${name} = $${index + 4}`).join(', ')}
  WHERE id = $1 AND secret = $2 AND signing_key IS NOT DISTINCT FROM $3 RETURNING id`;
