import { randomBytes } from 'node:crypto';
import { type Database, select, selectOne } from '../../db/database.js';
import { decrypt, encrypt, reencryptValue } from '../../rules/values/encryption.js';

/** The context of its encryption. */
const erasureKeyContext = 'installation-key:erasure';

const known = new WeakMap<Database, Promise<Buffer>>();

/**
 * The key of the digests that replace erased recipients. It is made once for an installation and never changes, because the digests must be
 * found for as long as a suppression is in effect. It is stored encrypted, so that a copy of the database alone is useless.
 * @param secretKeys the present key, then the earlier ones
 */
export function erasureKey(db: Database, secretKeys: readonly [string, ...string[]]): Promise<Buffer> {
  let key = known.get(db);
  if (key === undefined) {
    key = load(db, secretKeys);
    known.set(db, key);
    key.catch(() => known.delete(db));
  }
  return key;
}

async function load(db: Database, secretKeys: readonly [string, ...string[]]): Promise<Buffer> {
  const [stored] = await select<{ sealed: Buffer }>(db, find);
  const sealed = stored?.sealed ?? (await make(db, secretKeys[0]));
  return Buffer.from(decrypt(secretKeys, erasureKeyContext, sealed), 'base64');
}

/** Makes the key if there is none. */
export async function makeErasureKey(db: Database, secretKey: string): Promise<void> {
  await select(db, insert, [encrypt(secretKey, erasureKeyContext, randomBytes(32).toString('base64'))]);
}

/** Several processes may start at the same time. The first key that is stored is used. */
async function make(db: Database, secretKey: string): Promise<Buffer> {
  await makeErasureKey(db, secretKey);
  return (await selectOne<{ sealed: Buffer }>(db, find)).sealed;
}

/**
 * Shows whether a process has the SECRET_KEY of this database.
 * @returns whether one of these keys opens the stored key; null if none was made yet
 */
export async function opensErasureKey(db: Database, secretKeys: readonly [string, ...string[]]): Promise<boolean | null> {
  const [stored] = await select<{ sealed: Buffer }>(db, find);
  return stored === undefined ? null : reencryptValue(secretKeys, erasureKeyContext, stored.sealed) !== null;
}

/**
 * Encrypts the key with the first of these keys, if it is encrypted with another one.
 * @returns whether it was changed; null if none of these keys decrypts it
 */
export async function reencryptErasureKey(db: Database, secretKeys: readonly [string, ...string[]]): Promise<boolean | null> {
  const [stored] = await select<{ sealed: Buffer }>(db, find);
  if (stored === undefined) return false;
  const renewed = reencryptValue(secretKeys, erasureKeyContext, stored.sealed);
  if (renewed === null) return null;
  if (renewed === stored.sealed) return false;
  await select(db, update, [renewed]);
  return true;
}

const find = `SELECT sealed FROM installation_keys WHERE name = 'erasure'`;
const insert = `INSERT INTO installation_keys (name, sealed) VALUES ('erasure', $1) ON CONFLICT DO NOTHING`;
const update = `UPDATE installation_keys SET sealed = $1 WHERE name = 'erasure'`;
