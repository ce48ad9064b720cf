/** Maps answers that mean the same for all providers to outcomes. */
import type { Channel } from '../../../models/channels.js';
import { failureOf } from '../../../models/rules/messages/error-codes.js';
import { type FailureTable, lookUp, type ProviderFailure } from '../../../models/rules/failures/provider-failure.js';
import { providerWaitMsMax } from '../../../models/rules/routing/provider-deadline.js';
import { parseRetryAfter } from '../../../models/rules/webhooks/retry.js';
import { type HttpClient, NoAnswer, type ProviderAnswer, type ProviderRequest } from './http-client.js';
import type { CredentialsAnswer, SendOutcome } from './provider.js';

/** Sends the request. A call without an answer is `retryable` when it certainly did not arrive, otherwise `unknown`. */
export async function sendOver(
  client: HttpClient,
  request: ProviderRequest,
  signal: AbortSignal,
  read: (answer: ProviderAnswer) => SendOutcome,
): Promise<SendOutcome> {
  try {
    return read(await client.call(request, signal));
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return { outcome: error.mayHaveArrived ? 'unknown' : 'retryable', detail: error.reason };
  }
}

/** The outcome for a message that the provider took. A response without an id is `unknown`. */
export const taken = (id: unknown): SendOutcome =>
  typeof id === 'string' && id !== ''
    ? { outcome: 'accepted', provider_message_id: id }
    : { outcome: 'unknown', detail: 'response without an id' };

/** @param providerCode the provider's own code, for operators */
export function rejected(channel: Channel, failure: ProviderFailure, providerCode: string): SendOutcome {
  const { code, message } = failureOf(channel, failure.code, failure.isPermanent);
  return {
    outcome: 'rejected',
    error_code: code,
    error_message: message,
    is_permanent: failure.isPermanent,
    provider_error_code: providerCode,
    ...(failure.concernsRecipient === true ? { concernsRecipient: true } : {}),
  };
}

export const throttled = (answer: ProviderAnswer, code: string | number = answer.status): SendOutcome => ({
  outcome: 'throttled',
  detail: String(code),
  ...waitIn(answer),
});

/** The provider did not take the message, and works again later. */
export const unavailable = (answer: ProviderAnswer, code: string | number = answer.status): SendOutcome => ({
  outcome: 'retryable',
  detail: String(code),
  ...waitIn(answer),
});

/** `Retry-After` (RFC 9110 §10.2.3), which a provider may send with 429 and 503. */
function waitIn({ headers }: ProviderAnswer): { retryAfterMs?: number } {
  const seconds = parseRetryAfter(headers['retry-after'], new Date());
  return seconds === null ? {} : { retryAfterMs: Math.min(seconds * 1000, providerWaitMsMax) };
}

/**
 * The outcome of an HTTP status; null when the provider's code decides. Wrong credentials are a fault of the operator, so the message is
 * retryable with this or another account.
 */
export function outcomeOfStatus(answer: ProviderAnswer): SendOutcome | null {
  const { status } = answer;
  // The provider may have taken the message, although it does not say so in the documented way.
  if (status >= 200 && status < 300) return { outcome: 'unknown', detail: String(status) };
  if (status === 429) return throttled(answer);
  if (status === 401 || status === 403) return { outcome: 'retryable', detail: `credentials (${status})` };
  if (status === 503) return unavailable(answer);
  // The provider failed, perhaps after it took the message.
  if (status >= 500 || status === 408) return { outcome: 'unknown', detail: String(status) };
  if (status >= 300 && status < 400) return { outcome: 'retryable', detail: `redirect (${status})` };
  return null;
}

/** The outcome for a provider's code: by the table if it has the code, otherwise by the HTTP status. */
export const outcomeOfCode = (answer: ProviderAnswer, channel: Channel, failures: FailureTable, code: string): SendOutcome =>
  (Object.hasOwn(failures, code) ? null : outcomeOfStatus(answer)) ?? rejected(channel, lookUp(failures, code), code);

/** Makes a read-only call to learn whether the credentials are accepted. 200 means yes, 401 and 403 no. */
export async function askCredentials(
  client: HttpClient,
  request: Omit<ProviderRequest, 'method'>,
  signal: AbortSignal,
): Promise<CredentialsAnswer> {
  try {
    const { status } = await client.call({ ...request, method: 'GET' }, signal);
    if (status === 200) return 'accepted';
    return status === 401 || status === 403 ? 'refused' : { unclear: String(status) };
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return { unclear: error.reason };
  }
}
