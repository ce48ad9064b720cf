/** The ends of the certificates by which clients and carriers reach the service, as metrics. */
import { apiMetrics } from '../../models/metrics/catalogue.js';
import { certificateExpiry } from '../../models/network/certificate-expiry.js';
import type { Config } from '../../models/settings/config.js';

const againMs = 3_600_000;
/** After a failure, for example while the proxy is restarted. */
const soonMs = 60_000;

/**
 * Creates the function that reads the certificates of PUBLIC_URL and CALLBACK_URL, at most once an hour, after a failure once a minute. It
 * works in the background: a page of metrics does not wait.
 * A certificate that cannot be read has no value. Addresses without TLS have none either.
 */
export function createCertificateReader({ publicUrl, callbackUrl }: Pick<Config, 'publicUrl' | 'callbackUrl'>): () => void {
  const urls = Object.entries({ public: new URL(publicUrl), callback: new URL(callbackUrl) }).filter(
    ([, { protocol }]) => protocol === 'https:',
  );
  const dueAt = new Map<string, number>();
  const read = async (address: string, url: URL) => {
    try {
      const until = await certificateExpiry(url, { mustVerify: false });
      apiMetrics.certificateEnd.set({ address }, until.getTime() / 1000);
      dueAt.set(address, performance.now() + againMs);
    } catch {
      apiMetrics.certificateEnd.remove({ address });
      dueAt.set(address, performance.now() + soonMs);
    }
  };
  return () => {
    for (const [address, url] of urls) {
      if (performance.now() < (dueAt.get(address) ?? 0)) continue;
      dueAt.set(address, Number.POSITIVE_INFINITY); // under way
      void read(address, url);
    }
  };
}
