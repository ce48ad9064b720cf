/** Why an attempt failed, in words, and what to do about it. */
import type { Schema } from '../../api/call.js';

type Attempt = Schema<'DeliveryAttempt'>;

const reasons: Readonly<Record<string, string>> = {
  undecryptable_secret: 'The secret of this webhook can no longer be read. Rotate it.',
  gone: 'The receiver answered 410: it no longer wants events. The webhook was disabled.',
  blocked_address: 'The address is not public, or its port is not allowed, so it was not called.',
  timeout: 'The receiver did not answer within 10 seconds. Answer first, and work afterwards.',
  dns: 'The name of the receiver was not found.',
  refused: 'Nothing listens at the address of the receiver.',
  reset: 'The receiver closed the connection without an answer.',
  tls: 'The certificate of the receiver is not valid for its name, has expired, or comes from an unknown authority.',
  network: 'The receiver could not be reached.',
  redirect: 'The receiver answered with a redirect, which is not followed. Set the URL to where it leads.',
};

/** @returns null for an attempt that was acknowledged */
export function reasonOf({ error, response_status: status }: Pick<Attempt, 'error' | 'response_status'>): string | null {
  if (error === null) return null;
  if (error === 'http_status') return statusReason(status ?? 0);
  if (error === 'timeout' && status !== null) return `The receiver answered ${status}, but its answer did not end within 10 seconds.`;
  if (error === 'reset' && status !== null) return `The receiver answered ${status}, but closed the connection before its answer ended.`;
  return reasons[error] ?? error;
}

function statusReason(status: number): string {
  if (status === 401 || status === 403)
    return `The receiver answered ${status}, usually because it took the signature for wrong. Compare its secret with that of this webhook.`;
  if (status === 404) return 'The receiver answered 404: its address has another path.';
  if (status === 429) return 'The receiver answered 429: it gets more than it takes. Set a rate for this webhook.';
  return `The receiver answered ${status}. ${status >= 500 ? 'It failed itself: look into its log.' : 'It must answer 2xx.'}`;
}
