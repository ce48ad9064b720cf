/** Why an attempt failed, in words, and what to do about it. */
import type { Schema } from '../../api/call.js';

type Attempt = Schema<'DeliveryAttempt'>;

const reasons: Readonly<Record<string, string>> = {
  undecryptable_secret: 'The secret of this webhook can no longer be read. Rotate it.',
  gone: 'The receiver returned 410: it no longer wants events. The webhook was disabled.',
  blocked_address: 'The address is not public, or its port is not allowed, so it was not called.',
  timeout: 'The receiver did not respond within 10 seconds. Respond first, and process the event afterwards.',
  dns: 'The name of the receiver was not found.',
  refused: 'Nothing listens at the address of the receiver.',
  reset: 'The receiver closed the connection without a response.',
  tls: 'The certificate of the receiver is not valid for its name, has expired, or comes from an unknown authority.',
  network: 'The receiver could not be reached.',
  redirect: 'The receiver returned a redirect, which is not followed. Set the URL to where it leads.',
};

/** @returns null for an attempt that was acknowledged */
export function reasonOf({ error, response_status: status }: Pick<Attempt, 'error' | 'response_status'>): string | null {
  if (error === null) return null;
  if (error === 'http_status') return statusReason(status ?? 0);
  if (error === 'timeout' && status !== null) return `The receiver returned ${status}, but its response did not end within 10 seconds.`;
  if (error === 'reset' && status !== null) return `The receiver returned ${status}, but closed the connection before its response ended.`;
  return reasons[error] ?? error;
}

function statusReason(status: number): string {
  if (status === 401 || status === 403)
    return `The receiver returned ${status}, usually because it rejected the signature. Compare its secret with that of this webhook.`;
  if (status === 404) return 'The receiver returned 404: its address has another path.';
  if (status === 429)
    return 'The receiver returned 429: it gets more requests than it accepts. Set a rate, or a lower one, for this webhook.';
  return `The receiver returned ${status}. ${status >= 500 ? 'The receiver failed: see its log.' : 'It must return 2xx.'}`;
}
