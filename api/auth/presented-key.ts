/** The API key of a request, as far as it can be judged without the database. */
import type { IncomingMessage } from 'node:http';
import { digestApiKey, isWellFormedApiKey } from '../../models/rules/accounts/api-key.js';

/** The keyed hashes under which it may be stored: by the present secret, and by each former one. */
export interface KeyCredential {
  kind: 'key';
  digest: Buffer;
  older: readonly Buffer[];
}

const presented = new WeakMap<IncomingMessage, KeyCredential>();

/** Reckoned once, whoever asks first: the door or the application. Undefined when there is no key, or one that cannot be anybody's. */
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
