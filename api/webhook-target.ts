/** Asks where a new webhook URL leads, so that its owner hears of a mistake now; the guard decides again at every connect. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { invalidField } from '../models/errors.js';
import type { TargetPolicy } from '../models/rules/address.js';
import { faultOfTarget, faultOfWebhookUrl, targetOf } from '../models/rules/webhook-url.js';

const resolveTimeoutMs = 2000;

/**
 * Refuses a webhook URL that is wrong as it stands, and one whose name stands for an address that must not be reached. A name that
 * does not resolve, or not in time, passes.
 * @param resolve all addresses of a name; none when it has none
 * @throws AppError 400
 */
export async function assertUsableUrl(url: string, policy: TargetPolicy, resolve = resolveAll): Promise<void> {
  const fault = faultOfWebhookUrl(url, policy) ?? (await faultOfAddresses(url, policy, resolve));
  if (fault !== null) throw invalidField('url', fault);
}

async function faultOfAddresses(url: string, policy: TargetPolicy, resolve: typeof resolveAll): Promise<string | null> {
  const { host, port } = targetOf(url);
  if (isIP(host) !== 0) return null; // judged by its text
  return faultOfTarget(await Promise.race([resolve(host), nothingAfter(resolveTimeoutMs)]), port, policy);
}

async function resolveAll(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}

const nothingAfter = (ms: number) => new Promise<never[]>((done) => setTimeout(done, ms, []).unref());
