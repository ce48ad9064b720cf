/** What Amazon SNS is asked for when it posts a callback: its certificates, and to begin. */

export interface Sns {
  /** A certificate, kept from the first time on. The address was checked by whoever asks. */
  certificateAt(url: string): Promise<string>;
  /** Confirms a subscription. */
  confirm(url: string): Promise<void>;
}

const timeoutMs = 5000;
/** SNS has one certificate at a time, and changes it now and then. */
const certificatesMax = 10;

export function createSns(): Sns {
  const certificates = new Map<string, Promise<string>>();
  return {
    certificateAt(url) {
      const known = certificates.get(url);
      if (known !== undefined) return known;
      if (certificates.size >= certificatesMax) certificates.clear();
      const asked = textAt(url);
      certificates.set(url, asked);
      asked.catch(() => certificates.delete(url));
      return asked;
    },
    confirm: async (url) => void (await textAt(url)),
  };
}

/** @throws Error when there is no answer, or another than 200: SNS posts again what was not acknowledged */
async function textAt(url: string): Promise<string> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`SNS answered ${response.status}`);
  return text;
}
