/**
 * The callbacks of Twilio, about our messages and with messages from others: forms, signed over the public URL and all fields.
 * https://www.twilio.com/docs/usage/security
 */
import { createHmac } from 'node:crypto';
import type { AccountOf } from '../routing/provider-kinds.js';
import { invalidCallbackSignature, malformedReport } from '../../errors.js';
import { twilioFailures } from '../failures/twilio.js';
import { isSameSecret, presentAndFormer } from '../values/same-secret.js';
import type { ReportStatus } from '../messages/status.js';
import { suppressedCode } from '../contacts/suppression.js';
import { optRequestText } from '../contacts/keywords.js';
import { type CallbackEvent, type CallbackRequest, type InboundMessage, type IncomingReport, noFailure, resultOf } from './callback.js';
import { echoOf, headerOf } from './json-body.js';

export const whatsappPrefix = 'whatsapp:';

/**
 * Makes Twilio repeat a callback five times, within its limit of 15 seconds, after a status 5xx and without a response. By default it repeats
 * one once, and only if there is no connection. https://www.twilio.com/docs/usage/webhooks/webhooks-connection-overrides
 */
export const connectionOverrides = '#rc=5&rp=ct,rt,5xx';

/** Twilio sends some dozens of fields. A form with more than this is not from Twilio, and its signature is not computed. */
const fieldsMax = 300;

/** Twilio's statuses. Those without a counterpart here are left out. */
const statuses: Readonly<Record<string, ReportStatus>> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  undelivered: 'failed',
  failed: 'failed',
  canceled: 'failed',
};

export const twilioStatusOf = (word: string): ReportStatus | null => (Object.hasOwn(statuses, word) ? (statuses[word] ?? null) : null);

/** Twilio has the message, and no operator has it yet. */
const beforeSent: ReadonlySet<string | null> = new Set(['accepted', 'scheduled', 'queued', 'sending']);

/**
 * Verifies a callback and reads its report, or the message of a person; none if the status has no counterpart here.
 * @param account the name and auth tokens of the account whose URL was called
 * @throws AppError forbidden if the signature is absent or wrong, validation_failed if the form names no message
 */
export function readTwilioCallback(
  account: Pick<AccountOf<'twilio'>, 'name' | 'authToken' | 'oldAuthToken'>,
  request: CallbackRequest,
): CallbackEvent[] {
  const form = new URLSearchParams(request.body.toString('utf8'));
  const given = headerOf(request.headers, 'x-twilio-signature');
  const tokens = presentAndFormer(account.authToken, account.oldAuthToken);
  if (form.size > fieldsMax) throw invalidCallbackSignature();
  const signed = signedFields(form);
  const isSignedWith = (token: string) => addressesOf(request.url).some((url) => isSameSecret(given, signatureOf(token, url + signed)));
  if (!tokens.some(isSignedWith)) throw invalidCallbackSignature();
  const sid = form.get('MessageSid');
  const isInbound = form.get('SmsStatus') === 'received';
  const word = form.get('MessageStatus');
  if (sid === null || sid === '' || (word === null && !isInbound)) throw malformedReport('MessageSid');
  const source = {
    provider: account.name,
    provider_message_id: sid,
    occurred_at: request.at, // the form has no time, but a report must have one
    raw: JSON.stringify(Object.fromEntries(form)),
  };
  if (isInbound) return [{ kind: 'inbound', ...source, occurred_at: null, ...inboundOf(form) }];
  const reported = { ...source, message_id: echoOf(new URL(request.url).searchParams.get('message_id')) };
  if (beforeSent.has(word)) return [{ kind: 'report', ...reported, status: 'sent', isOnlyTaken: true, ...noFailure }];
  const status = twilioStatusOf(word ?? '');
  return status === null ? [] : reportsOf(reported, status, form);
}

type Source = Pick<IncomingReport, 'provider' | 'provider_message_id' | 'message_id' | 'occurred_at' | 'raw'>;

function reportsOf(source: Source, status: ReportStatus, form: URLSearchParams): CallbackEvent[] {
  const report: CallbackEvent = { kind: 'report', ...source, ...resultOf(status, twilioFailures, form.get('ErrorCode')) };
  if (report.error_code !== suppressedCode) return [report];
  const { channel, number } = addressIn(form, 'To');
  return [report, { kind: 'opt_out', ...source, occurred_at: null, channel, recipient: number, reason: 'unsubscribed' }];
}

/** The content of the message. If Twilio has recognized an opt-out word of any language, its type of that word replaces the text. */
function inboundOf(form: URLSearchParams): Pick<InboundMessage, 'channel' | 'from' | 'to' | 'text'> {
  const { channel, number } = addressIn(form, 'From');
  const text = form.get('OptOutType') ?? optRequestText([form.get('Body')], [form.get('ButtonPayload')]);
  return { channel, from: number, to: addressIn(form, 'To').number, text };
}

/**
 * On sms the field is the number alone. On other channels, such as RCS, the channel's name is before it. Twilio can send an SMS as RCS, so RCS
 * counts as sms. A channel for RCS must tell the two apart here.
 */
function addressIn(form: URLSearchParams, field: 'From' | 'To'): { channel: 'sms' | 'whatsapp'; number: string } {
  const address = form.get(field) ?? '';
  const channel = address.startsWith(whatsappPrefix) ? 'whatsapp' : 'sms';
  return { channel, number: address.replace(/^[a-z][\w.-]*:/i, '') };
}

const standardPorts: Readonly<Record<string, number>> = { https: 443, http: 80 };

/**
 * The signature covers the URL with or without its port, also a standard port. Twilio has done both, and its own library accepts both. It does
 * not cover the fragment; a host with the same API may cover it.
 */
function addressesOf(url: string): string[] {
  const [origin = '', withoutPort = '', scheme = '', port = `:${standardPorts[scheme]}`] =
    /^((https?):\/\/[^/:]+)(:\d+)?(?=\/|$)/.exec(url) ?? [];
  const addresses = origin === '' ? [url] : [withoutPort, withoutPort + port].map((each) => each + url.slice(origin.length));
  return addresses.flatMap((address) => [address, address + connectionOverrides]);
}

/**
 * The signed fields: the name and value of every field without separators, ordered by name. Equal fields count once. Anybody can send a form, so
 * the time must be in proportion to its length: `getAll` for each name would read the whole form each time.
 */
function signedFields(form: URLSearchParams): string {
  const fields = new Map<string, Set<string>>();
  for (const [name, value] of form) {
    const values = fields.get(name);
    if (values === undefined) fields.set(name, new Set([value]));
    else values.add(value);
  }
  const ordered = [...fields].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return ordered.flatMap(([name, values]) => [...values].toSorted().map((value) => name + value)).join('');
}

/** @param signed the URL, then the signed fields */
const signatureOf = (authToken: string, signed: string): string => createHmac('sha1', authToken).update(signed, 'utf8').digest('base64');
