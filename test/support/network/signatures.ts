import { createHmac } from 'node:crypto';
import { Webhook as Verifier } from 'standardwebhooks';
import type { Received } from './receiver.js';

/**
 * Verifies the three headers of Standard Webhooks with this secret, as one of several that signed.
 * @returns whether the hex header is of this secret too
 * @throws if the headers are not of this secret
 */
export function hexMatches(secret: string, { headers, body }: Received): boolean {
  new Verifier(secret).verify(body, headers as Record<string, string>);
  return headers['x-service-signature'] === createHmac('sha256', secret).update(body).digest('hex');
}
