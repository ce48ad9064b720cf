/** The status callbacks of Twilio: forms, signed over the public address and all fields. https://www.twilio.com/docs/usage/security */
import { createHmac } from 'node:crypto';
import { badSignature, invalid } from '../../errors.js';
import { lookUp } from '../failures/provider-failure.js';
import { twilioFailures } from '../failures/twilio.js';
import { isSameSecret } from '../same-secret.js';
import type { ReportStatus } from '../status.js';
import { suppressedCode } from '../suppression.js';
import type { CallbackEvent, CallbackRequest, IncomingReport } from './callback.js';
import { echoOf, headerOf } from './json-body.js';

/** Twilio's words; what stands for no step of ours (`accepted`, `queued`, `sending`, …) is not here. */
const statuses: Readonly<Record<string, ReportStatus>> = {
  sent: 'sent',
  delivered: 'delivered',
  undelivered: 'failed',
  failed: 'failed',
  canceled: 'failed',
};

export const twilioStatusOf = (word: string): ReportStatus | null => (Object.hasOwn(statuses, word) ? (statuses[word] ?? null) : null);

/** What a status and Twilio's code, where it gave one, say of a failure. */
export function twilioFailureOf(
  status: ReportStatus,
  code: string | null,
): Pick<IncomingReport, 'error_code' | 'is_permanent' | 'provider_error_code'> {
  if (status !== 'failed') return { error_code: null, is_permanent: false, provider_error_code: null };
  const failure = lookUp(twilioFailures, code);
  return { error_code: failure.code, is_permanent: failure.isPermanent, provider_error_code: code };
}

/**
 * Verifies a callback and reads its report; none where the status is no step of ours.
 * @param account name and auth token of the account whose address was called
 * @throws AppError 403 for a signature that is absent or wrong; 400 for a form that names no message
 */
export function readTwilioCallback(account: { name: string; authToken: string }, request: CallbackRequest): CallbackEvent[] {
  const form = new URLSearchParams(request.body.toString('utf8'));
  const signature = signatureOf(account.authToken, request.url, form);
  if (!isSameSecret(headerOf(request.headers, 'x-twilio-signature'), signature)) throw badSignature();
  const sid = form.get('MessageSid');
  const word = form.get('MessageStatus');
  if (sid === null || sid === '' || word === null) throw invalid([{ field: 'MessageSid', message: 'Malformed report' }]);
  const status = twilioStatusOf(word);
  if (status === null) return [];
  const source = {
    provider: account.name,
    provider_message_id: sid,
    message_id: echoOf(new URL(request.url).searchParams.get('message_id')),
    occurred_at: request.at, // the form tells no time
    raw: JSON.stringify(Object.fromEntries(form)),
  };
  const report: CallbackEvent = { kind: 'report', ...source, status, ...twilioFailureOf(status, form.get('ErrorCode')) };
  if (report.error_code !== suppressedCode) return [report];
  return [report, { kind: 'opt_out', ...source, channel: 'sms', recipient: form.get('To') ?? '', reason: 'unsubscribed' }];
}

/** The address, then every field's name and value without anything between them, ordered by name; of equal fields, one. */
function signatureOf(authToken: string, url: string, form: URLSearchParams): string {
  const names = [...new Set(form.keys())].toSorted((one, other) => (one < other ? -1 : 1));
  const fields = names
    .map((name) =>
      [...new Set(form.getAll(name))]
        .toSorted()
        .map((value) => name + value)
        .join(''),
    )
    .join('');
  return createHmac('sha1', authToken)
    .update(url + fields, 'utf8')
    .digest('base64');
}
