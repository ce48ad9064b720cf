/** Ed25519 key pairs of webhooks, in the forms of Standard Webhooks: `whsk_` and the base64 of the seed, `whpk_` and the base64 of the public key. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

const privatePrefix = 'whsk_';
const publicPrefix = 'whpk_';
/** The bytes before the 32 bytes of a seed in PKCS #8 (RFC 8410 §7). */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

export interface SigningKeyPair {
  signingKey: string;
  publicKey: string;
}

export function generateSigningKey(): SigningKeyPair {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { d = '' } = privateKey.export({ format: 'jwk' });
  return { signingKey: privatePrefix + Buffer.from(d, 'base64url').toString('base64'), publicKey: publicKeyOf(privateKey) };
}

function publicKeyOf(privateKey: KeyObject): string {
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  return publicPrefix + Buffer.from(x, 'base64url').toString('base64');
}

/** One item of `webhook-signature`: `v1a,` + base64 ed25519 signature of id.timestamp.body. */
export function asymmetricSignature(signingKey: string, id: string, timestampSeconds: number, body: string): string {
  const seed = Buffer.from(signingKey.slice(privatePrefix.length), 'base64');
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: 'der', type: 'pkcs8' });
  return `v1a,${sign(null, Buffer.from(`${id}.${timestampSeconds}.${body}`), key).toString('base64')}`;
}
