/** Calls to Amazon SNS: fetch its certificates, and confirm subscriptions. */
import { busy, invalidCallbackSignature } from '../../models/errors.js';

export interface Sns {
  /**
   * Fetches a certificate, and caches it. The caller must have checked the URL.
   * @throws AppError forbidden if SNS has no such certificate, unavailable if many others are being fetched
   */
  certificateAt(url: string): Promise<string>;
  /** Confirms a subscription. */
  confirm(url: string): Promise<void>;
}

const timeoutMs = 5000;
/** The size of the cache. SNS uses one certificate at a time and replaces it rarely. */
const certificatesMax = 10;
/** Anybody can name certificates that do not exist. */
const fetchesMax = 10;

export function createSns(): Sns {
  /** Certificates that exist, so an invented URL replaces none. */
  const certificates = new Map<string, string>();
  const fetches = new Map<string, Promise<string>>();
  const fetched = async (url: string) => {
    const certificate = await certificateOf(url);
    if (certificates.size >= certificatesMax) certificates.clear();
    certificates.set(url, certificate);
    return certificate;
  };
  return {
    async certificateAt(url) {
      const known = certificates.get(url) ?? fetches.get(url);
      if (known !== undefined) return known;
      if (fetches.size >= fetchesMax) throw busy();
      const fetching = fetched(url).finally(() => fetches.delete(url));
      fetches.set(url, fetching);
      return fetching;
    },
    async confirm(url) {
      const answer = await get(url);
      if (answer.status !== 200) throw unexpected(answer);
    },
  };
}

async function certificateOf(url: string): Promise<string> {
  const answer = await get(url);
  if (answer.status === 200) return answer.text;
  throw [403, 404].includes(answer.status) ? invalidCallbackSignature() : unexpected(answer);
}

async function get(url: string): Promise<{ status: number; text: string }> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
  return { status: response.status, text: await response.text() };
}

/** Not an AppError: SNS repeats a callback whose response is 500. */
const unexpected = ({ status }: { status: number }) => new Error(`SNS returned ${status}`);
