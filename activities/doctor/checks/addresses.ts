/** The addresses by which others reach the service, with their certificates, and the host names of webhooks. */
import { isIP } from 'node:net';
import { select } from '../../../models/db/database.js';
import { certificateExpiry } from '../../../models/network/certificate-expiry.js';
import { createResolver } from '../../../models/network/name-resolver.js';
import { countText } from '../../../models/rules/values/text.js';
import { type Check, type CheckDeps, failed, type Finding, ok, skipped, warning } from '../check.js';

const dayMs = 86_400_000;
const certificateDaysWarning = 21;

const addressCheck = (subject: string, setting: string, urlOf: (config: CheckDeps['config']) => string): Check => ({
  subject,
  fix: `Check ${setting}, the proxy and the firewall. This machine may also be unable to reach its own public address`,
  async run({ config, signal }) {
    const base = urlOf(config);
    const url = new URL(base);
    const response = await fetch(`${base}/live`, { signal, redirect: 'manual' });
    const found = response.ok
      ? ok(subject, `${base} answers`)
      : failed(subject, `${base}/live returns ${response.status}`, `Let the proxy pass all paths of ${setting} to the API`);
    return url.protocol === 'https:' ? [found, await certificateFinding(url)] : [found];
  },
});

/** Carriers report to PUBLIC_URL, the sandbox to CALLBACK_URL. */
export const publicUrlCheck = addressCheck('public address', 'PUBLIC_URL', ({ publicUrl }) => publicUrl);
export const callbackUrlCheck = addressCheck('callback address', 'CALLBACK_URL', ({ callbackUrl }) => callbackUrl);

async function certificateFinding(url: URL): Promise<Finding> {
  const until = await certificateExpiry(url, { mustVerify: true });
  return expiryFinding(url.hostname, (until.getTime() - Date.now()) / dayMs);
}

export function expiryFinding(hostname: string, days: number): Finding {
  const subject = 'certificate';
  const detail = `of ${hostname} is valid for ${countText(Math.floor(days), 'more day')}`;
  return days < certificateDaysWarning
    ? warning(subject, detail, 'Renew the certificate, and check its automatic renewal')
    : ok(subject, detail);
}

/** Whether DNS knows the host names of the oldest active webhooks. A new one may have a typing error. */
export const webhookNamesCheck: Check = {
  subject: 'webhook names',
  fix: 'Check PostgreSQL first, which has the addresses of webhooks',
  async run({ config, db }) {
    const urls = await select<{ url: string }>(db, oldestWebhooks, [namesMax]);
    const hosts = urls.map(({ url }) => new URL(url).hostname.replaceAll(/[[\]]/g, ''));
    const names = [...new Set(hosts.filter((host) => isIP(host) === 0))];
    if (names.length === 0 && hosts.length > 0) return [skipped('webhook names', 'all webhook URLs contain IP addresses')];
    const resolve = createResolver({ servers: config.webhookDnsServers });
    const results = await Promise.allSettled(names.map((name) => resolve(name)));
    const unknown = names.filter((_, index) => results[index]?.status === 'rejected');
    return [namesFinding(names, unknown)];
  },
};

const namesMax = 20;
const oldestWebhooks = `SELECT url FROM webhooks WHERE is_active AND deleted_at IS NULL ORDER BY id LIMIT $1`;

export function namesFinding(names: readonly string[], unknown: readonly string[]): Finding {
  const subject = 'webhook names';
  if (names.length === 0) return skipped(subject, 'there are no webhooks');
  if (unknown.length === 0) return ok(subject, `resolved ${countText(names.length, 'name')}`);
  // A single name may be a mistake of its owner.
  if (unknown.length === names.length && names.length > 1)
    return failed(
      subject,
      `resolved none of ${countText(names.length, 'name')}`,
      'Check the DNS servers of this machine, or set WEBHOOK_DNS_SERVERS',
    );
  return warning(
    subject,
    `could not resolve ${unknown.length} of ${countText(names.length, 'name')}`,
    'If many names fail, check the DNS servers of this machine',
  );
}
