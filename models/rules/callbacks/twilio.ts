/** The callbacks of Twilio, about messages and with messages of others: forms, signed over the public address and all fields. https://www.twilio.com/docs/usage/security */
import { createHmac } from 'node:crypto';
import { badSignature, invalid } from '../../errors.js';
import { lookUp } from '../failures/provider-failure.js';
import { twilioFailures } from '../failures/twilio.js';
import { isSameSecret } from '../values/same-secret.js';
import type { ReportStatus } from '../messages/status.js';
import { suppressedCode } from '../contacts/suppression.js';
import { type CallbackEvent, type CallbackRequest, type InboundMessage, type IncomingReport, noFailure } from './callback.js';
import { echoOf, headerOf } from './json-body.js';

export const whatsappPrefix = 'whatsapp:';

/** Twilio's words; what stands for no step of ours (`accepted`, `queued`, `sending`, …) is not here. */
const statuses: Readonly<Record<string, ReportStatus>> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
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
  if (status !== 'failed') return noFailure;
  const failure = lookUp(twilioFailures, code);
  return { error_code: failure.code, is_permanent: failure.isPermanent, provider_error_code: code };
}

/**
 * Verifies a callback and reads its report, or the message that somebody wrote; none where the status is no step of ours.
 * @param account name and auth token of the account whose address was called
 * @throws AppError 403 for a signature that is absent or wrong; 400 for a form that names no message
 */
export function readTwilioCallback(account: { name: string; authToken: string }, request: CallbackRequest): CallbackEvent[] {
  const form = new URLSearchParams(request.body.toString('utf8'));
  const given = headerOf(request.headers, 'x-twilio-signature');
  if (!addressesOf(request.url).some((url) => isSameSecret(given, signatureOf(account.authToken, url, form)))) throw badSignature();
  const sid = form.get('MessageSid');
  const isInbound = form.get('SmsStatus') === 'received';
  const word = form.get('MessageStatus');
  if (sid === null || sid === '' || (word === null && !isInbound)) throw invalid([{ field: 'MessageSid', message: 'Malformed report' }]);
  const source = {
    provider: account.name,
    provider_message_id: sid,
    occurred_at: request.at, // the form tells no time
    raw: JSON.stringify(Object.fromEntries(form)),
  };
  if (isInbound) return [{ kind: 'inbound', ...source, ...inboundOf(form) }];
  const status = twilioStatusOf(word ?? '');
  return status === null
    ? []
    : reportsOf({ ...source, message_id: echoOf(new URL(request.url).searchParams.get('message_id')) }, status, form);
}

type Source = Pick<IncomingReport, 'provider' | 'provider_message_id' | 'message_id' | 'occurred_at' | 'raw'>;

function reportsOf(source: Source, status: ReportStatus, form: URLSearchParams): CallbackEvent[] {
  const report: CallbackEvent = { kind: 'report', ...source, status, ...twilioFailureOf(status, form.get('ErrorCode')) };
  if (report.error_code !== suppressedCode) return [report];
  const { channel, number } = addressIn(form, 'To');
  return [report, { kind: 'opt_out', ...source, channel, recipient: number, reason: 'unsubscribed' }];
}

/** What was written. Where Twilio itself knows what a word of any language asks for, its own word for that. */
function inboundOf(form: URLSearchParams): Pick<InboundMessage, 'channel' | 'from' | 'to' | 'text'> {
  const { channel, number } = addressIn(form, 'From');
  return { channel, from: number, to: addressIn(form, 'To').number, text: form.get('OptOutType') ?? form.get('Body') ?? '' };
}

/** A number stands alone on sms, and behind its channel elsewhere. */
function addressIn(form: URLSearchParams, field: 'From' | 'To'): { channel: 'sms' | 'whatsapp'; number: string } {
  const address = form.get(field) ?? '';
  return address.startsWith(whatsappPrefix)
    ? { channel: 'whatsapp', number: address.slice(whatsappPrefix.length) }
    : { channel: 'sms', number: address };
}

/** The signature covers the port where there is one, or does not: Twilio has done both, and its own library takes both. */
function addressesOf(url: string): string[] {
  const origin = /^(https?:\/\/[^/:]+)(?::\d+)?(?=\/|$)/.exec(url)?.[1];
  return origin === undefined ? [url] : [url, url.replace(/^https?:\/\/[^/]+/, origin)];
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
