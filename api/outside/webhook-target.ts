/** Asks where a new webhook URL leads, so that its owner hears of a mistake now; the guard decides again at every connect. */
import { isIP } from 'node:net';
import { invalidField } from '../../models/errors.js';
import type { TargetPolicy } from '../../models/rules/webhooks/address.js';
import { faultOfTarget, faultOfWebhookUrl, targetOf } from '../../models/rules/webhooks/webhook-url.js';

/**
 * Refuses a webhook URL that is wrong as it stands, and one whose name stands for an address that must not be reached. A name that
 * does not resolve, or not in time, passes.
 * @param resolve all addresses of a name
 * @throws AppError 400
 */
export async function assertUsableUrl(url: string, policy: TargetPolicy, resolve: (host: string) => Promise<string[]>): Promise<void> {
  const fault = faultOfWebhookUrl(url, policy) ?? (await faultOfAddresses(url, policy, resolve));
  if (fault !== null) throw invalidField('url', fault);
}

async function faultOfAddresses(url: string, policy: TargetPolicy, resolve: (host: string) => Promise<string[]>): Promise<string | null> {
  const { host, port } = targetOf(url);
  if (isIP(host) !== 0) return null; // judged by its text
  return faultOfTarget(await resolve(host).catch(() => []), port, policy);
}
