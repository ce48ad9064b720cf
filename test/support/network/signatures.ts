import { createHmac } from 'node:crypto';
import { Webhook as Verifier } from 'standardwebhooks';
import type { Received } from './receiver.js';

/**
 * Verifies the three headers of Standard Webhooks with this secret, which may be one of several that signed.
 * @throws WebhookVerificationError if the headers are not of this secret
 */
export function assertSignedBy(secret: string, { headers, body }: Received): void {
  new Verifier(secret).verify(body, headers as Record<string, string>);
}

/** Whether the hex header is of this secret: only one secret signs it. */
export const isHexOf = (secret: string, { headers, body }: Received): boolean =>
  headers['x-service-signature'] === createHmac('sha256', secret).update(body).digest('hex');
