/** Asks where a new webhook URL leads, so that its owner hears of a mistake now; the guard decides again at every connect. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { invalidField } from '../models/errors.js';
import type { TargetPolicy } from '../models/rules/address.js';
import { faultOfTarget, targetOf } from '../models/rules/webhook-url.js';

const resolveTimeoutMs = 2000;

/**
 * Refuses a URL whose name stands for forbidden addresses only. A name that does not resolve, or not in time, passes.
 * @param url one that `faultOfWebhookUrl` found nothing wrong with
 */
export async function assertAllowedTarget(url: string, policy: TargetPolicy): Promise<void> {
  const { host, port } = targetOf(url);
  if (isIP(host) !== 0) return; // judged by its text
  const addresses = await Promise.race([resolve(host), nothingAfter(resolveTimeoutMs)]);
  const fault = addresses.length === 0 ? null : faultOfTarget(addresses, port, policy);
  if (fault !== null) throw invalidField('url', fault);
}

async function resolve(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}

const nothingAfter = (ms: number) => new Promise<never[]>((done) => setTimeout(done, ms, []).unref());
