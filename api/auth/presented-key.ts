/** Reads the API key of a request, without the database. */
import type { IncomingMessage } from 'node:http';
import { digestApiKey, isWellFormedApiKey } from '../../models/rules/accounts/api-key.js';

/** The keyed hashes under which the key may be stored: with the current secret, and with each former one. */
export interface KeyCredential {
  kind: 'key';
  digest: Buffer;
  older: readonly Buffer[];
}

/** By which `KnownCallers` remembers an API key. */
export const cacheKeyOfApiKey = ({ digest }: KeyCredential): string => digest.toString('base64url');

const presented = new WeakMap<IncomingMessage, KeyCredential>();

/** Computed once per request, by load shedding or by the application. Undefined without a key, or for a malformed one. */
export function presentedKey(req: IncomingMessage, secretKeys: readonly string[]): KeyCredential | undefined {
  const known = presented.get(req);
  if (known !== undefined) return known;
  const key = req.headers['x-api-key'];
  if (typeof key !== 'string' || !isWellFormedApiKey(key)) return undefined;
  const [digest, ...older] = secretKeys.map((secretKey) => digestApiKey(secretKey, key)) as [Buffer, ...Buffer[]];
  const credential: KeyCredential = { kind: 'key', digest, older };
  presented.set(req, credential);
  return credential;
}
