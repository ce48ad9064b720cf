/** Checks a new webhook URL early, so that its owner sees mistakes immediately. The address is checked again for every connection. */
import { isIP } from 'node:net';
import { invalidField } from '../../models/errors.js';
import type { TargetPolicy } from '../../models/rules/webhooks/address.js';
import { faultOfTarget, faultOfWebhookUrl, targetOf } from '../../models/rules/webhooks/webhook-url.js';

/**
 * Refuses an invalid webhook URL, and a host name that resolves to a forbidden address. A name that does not resolve in time is accepted.
 * @param resolve returns all addresses of a name
 * @throws AppError 400
 */
export async function assertUsableUrl(url: string, policy: TargetPolicy, resolve: (host: string) => Promise<string[]>): Promise<void> {
  const fault = faultOfWebhookUrl(url, policy) ?? (await faultOfAddresses(url, policy, resolve));
  if (fault !== null) throw invalidField('url', fault);
}

async function faultOfAddresses(url: string, policy: TargetPolicy, resolve: (host: string) => Promise<string[]>): Promise<string | null> {
  const { host, port } = targetOf(new URL(url));
  if (isIP(host) !== 0) return null; // already checked above
  return faultOfTarget(await resolve(host).catch(() => []), port, policy);
}
