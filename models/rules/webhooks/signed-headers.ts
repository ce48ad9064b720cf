/** The headers of webhook deliveries with their signatures: the contract's hex header, and the three of Standard Webhooks (docs/contract/webhooks.md). */
import { createHmac, randomBytes } from 'node:crypto';
import { asymmetricSignature } from './signing-key.js';

const secretPrefix = 'whsec_';

/** A new webhook secret: `whsec_` + base64 of 32 random bytes. */
export const generateWebhookSecret = () => secretPrefix + randomBytes(32).toString('base64');

/** The value of `X-Service-Signature`: hex HMAC SHA-256 of the raw body, keyed with the whole secret string. */
export const hexSignature = (secret: string, body: string) => createHmac('sha256', secret).update(body).digest('hex');

/** One item of `webhook-signature`: `v1,` + base64 HMAC SHA-256 of id.timestamp.body, keyed with the decoded part of the secret. */
export function standardSignature(secret: string, id: string, timestampSeconds: number, body: string): string {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestampSeconds}.${body}`).digest('base64')}`;
}

export interface SignedDelivery {
  /** The event's id, which is the same at every attempt. */
  id: string;
  type: string;
  body: string;
  /** The present secret first. The former one follows while a rotation overlaps. */
  secrets: readonly string[];
  /** Private keys in the same order; none if the owner did not choose asymmetric signatures. */
  signingKeys?: readonly string[];
  timestampSeconds: number;
}

/** The headers of one attempt, without those of its trace. The hex header always has the signature of the newest secret. */
export function deliveryHeaders({ id, type, body, secrets, signingKeys = [], timestampSeconds }: SignedDelivery): Record<string, string> {
  const [newest] = secrets;
  if (newest === undefined) throw new Error('the webhook has no secret');
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Tidings-Webhooks/1.0',
    'X-Service-Event': type,
    'X-Service-Signature': hexSignature(newest, body),
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': [
      ...secrets.map((secret) => standardSignature(secret, id, timestampSeconds, body)),
      ...signingKeys.map((key) => asymmetricSignature(key, id, timestampSeconds, body)),
    ].join(' '),
  };
}

/** The same headers with masked signatures: the kind of each signature replaces its value. */
export function maskSignatures(headers: Record<string, string>): Record<string, string> {
  const masked = { ...headers };
  for (const [name, value] of Object.entries(headers)) {
    if (/^x-service-signature$/i.test(name)) masked[name] = mask;
    if (/^webhook-signature$/i.test(name)) masked[name] = value.replaceAll(/,[^ ]+/g, `,${mask}`);
  }
  return masked;
}

const mask = '***';
