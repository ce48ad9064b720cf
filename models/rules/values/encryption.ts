/** Encryption of secrets that must be readable again: AES-256-GCM with a key derived from SECRET_KEY. */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

// Layout: version (1) · key id (4) · nonce (12) · tag (16) · ciphertext.
const version = 1;
const header = 33;

/**
 * Encrypts a text for one place.
 * @param context where it is stored, for example `webhook:<id>`. Its bytes cannot be decrypted in another row
 */
export function encrypt(secretKey: string, context: string, text: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', derive(secretKey).key, nonce).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.from([version]), keyId(secretKey), nonce, cipher.getAuthTag(), body]);
}

/**
 * Decrypts the result of `encrypt` with one of these keys and this context. Throws for anything else.
 * @param secretKeys the present key, then the earlier ones
 */
export function decrypt(secretKeys: readonly string[], context: string, sealed: Buffer): string {
  if (sealed[0] !== version || sealed.length < header) throw new Error('unknown encryption format');
  const secretKey = secretKeys.find((candidate) => isEncryptedWith(candidate, sealed));
  if (secretKey === undefined) throw new Error('encrypted with another SECRET_KEY');
  const decipher = createDecipheriv('aes-256-gcm', derive(secretKey).key, sealed.subarray(5, 17)).setAAD(Buffer.from(context));
  decipher.setAuthTag(sealed.subarray(17, header));
  return decipher.update(sealed.subarray(header), undefined, 'utf8') + decipher.final('utf8');
}

/**
 * Re-encrypts the result of `encrypt` with the present key.
 * @param secretKeys the present key, then the earlier ones
 * @returns the same object if it is encrypted with the present key already; null if no key decrypts it
 */
export function reencryptValue(secretKeys: readonly [string, ...string[]], context: string, sealed: Buffer): Buffer | null {
  const [present] = secretKeys;
  if (isEncryptedWith(present, sealed)) return sealed;
  try {
    return encrypt(present, context, decrypt(secretKeys, context, sealed));
  } catch {
    return null;
  }
}

/** `decrypt` with fixed keys. */
export type Decrypter = (context: string, sealed: Buffer) => string;

/**
 * Makes a decrypter that caches the texts of the last values, so that a value in frequent use is decrypted once. A changed value has other
 * bytes, so the cache never returns an old text. Errors are not cached.
 * @param secretKeys the present key, then the earlier ones
 */
export function cachingDecrypter(secretKeys: readonly string[], cachedMax = 1_000): Decrypter {
  const cached = new Map<string, string>();
  return (context, sealed) => {
    const name = `${context.length}:${context}${sealed.toString('latin1')}`;
    let text = cached.get(name);
    if (text !== undefined) return text;
    text = decrypt(secretKeys, context, sealed);
    if (cached.size >= cachedMax) cached.delete(cached.keys().next().value as string); // the oldest
    cached.set(name, text);
    return text;
  };
}

interface Derived {
  key: Buffer;
  id: Buffer;
}

const derived = new Map<string, Derived>();

function derive(secretKey: string): Derived {
  let known = derived.get(secretKey);
  if (known === undefined) {
    const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'tidings encryption', 32));
    known = { key, id: createHash('sha256').update('key-id:').update(key).digest().subarray(0, 4) };
    derived.set(secretKey, known);
  }
  return known;
}

/** Whether these bytes were encrypted with this key. */
const isEncryptedWith = (secretKey: string, sealed: Buffer): boolean => sealed.subarray(1, 5).equals(keyId(secretKey));

/** Identifies the key without revealing it. */
const keyId = (secretKey: string) => derive(secretKey).id;
