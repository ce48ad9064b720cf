/** Calls to Amazon SNS: fetch its certificates, and confirm subscriptions. */

export interface Sns {
  /** Fetches a certificate, and caches it. The caller must have checked the URL. */
  certificateAt(url: string): Promise<string>;
  /** Confirms a subscription. */
  confirm(url: string): Promise<void>;
}

const timeoutMs = 5000;
/** The size of the cache. SNS uses one certificate at a time and replaces it rarely. */
const certificatesMax = 10;

export function createSns(): Sns {
  const certificates = new Map<string, Promise<string>>();
  return {
    certificateAt(url) {
      const known = certificates.get(url);
      if (known !== undefined) return known;
      if (certificates.size >= certificatesMax) certificates.clear();
      const pending = textAt(url);
      certificates.set(url, pending);
      pending.catch(() => certificates.delete(url));
      return pending;
    },
    confirm: async (url) => void (await textAt(url)),
  };
}

/** @throws Error without a 200 response; SNS repeats callbacks that are not acknowledged */
async function textAt(url: string): Promise<string> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`SNS answered ${response.status}`);
  return text;
}
