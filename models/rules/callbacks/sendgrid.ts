/**
 * SendGrid's Event Webhook: many events per request, signed with its own key.
 * https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event
 */
import { createPublicKey, verify } from 'node:crypto';
import type { AccountOf } from '../routing/provider-kinds.js';
import { invalidCallbackSignature, malformedReport } from '../../errors.js';
import { sendgridFailureOf } from '../failures/sendgrid.js';
import { presentAndFormer } from '../values/same-secret.js';
import type { ReportStatus } from '../messages/status.js';
import { suppressedCode } from '../contacts/suppression.js';
import { type CallbackEvent, type CallbackRequest, failed, type OptOut, noFailure } from './callback.js';
import { echoOf, headerOf, isWithin, type Json, momentOf, parseJson } from './json-body.js';

/** SendGrid repeats an unacknowledged request for a day. Its documents do not say whether it signs it again. An older signature is a replay. */
const replayWindowSeconds = 25 * 3600;

const statuses: Readonly<Record<string, ReportStatus>> = {
  processed: 'sent',
  delivered: 'delivered',
  bounce: 'failed',
  dropped: 'failed',
};

const optOuts: Readonly<Record<string, OptOut['reason']>> = {
  spamreport: 'complaint',
  unsubscribe: 'unsubscribed',
  group_unsubscribe: 'unsubscribed',
};

/**
 * Verifies a callback and reads its events. Events without a counterpart here, for example opens, are left out.
 * @throws AppError forbidden if the signature is absent, wrong or too old; validation_failed if the body is not a list
 */
export function readSendgridCallback(
  { name, verificationKey, oldVerificationKey }: Pick<AccountOf<'sendgrid'>, 'name' | 'verificationKey' | 'oldVerificationKey'>,
  { headers, body, at }: Pick<CallbackRequest, 'headers' | 'body' | 'at'>,
): CallbackEvent[] {
  const timestamp = headerOf(headers, 'x-twilio-email-event-webhook-timestamp');
  const signature = Buffer.from(headerOf(headers, 'x-twilio-email-event-webhook-signature'), 'base64');
  const signed = Buffer.concat([Buffer.from(timestamp), body]);
  const isSignedWith = (key: string) =>
    verify('sha256', signed, createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' }), signature);
  if (!presentAndFormer(verificationKey, oldVerificationKey).some(isSignedWith)) throw invalidCallbackSignature();
  if (!isWithin(replayWindowSeconds, timestamp, at)) throw invalidCallbackSignature();
  const events = parseJson(body);
  if (!Array.isArray(events)) throw malformedReport('');
  return events.flatMap((event: Json) => (typeof event === 'object' && event !== null ? eventsOf(name, event, at) : []));
}

function eventsOf(provider: string, event: Json, at: Date): CallbackEvent[] {
  const id = messageIdOf(event);
  if (id === null) return [];
  const source = {
    provider,
    provider_message_id: id,
    message_id: echoOf(event.message_id),
    occurred_at: momentOf(event.timestamp, at),
    raw: JSON.stringify(event),
  };
  const optOut = (reason: OptOut['reason']): CallbackEvent => ({
    kind: 'opt_out',
    ...source,
    channel: 'email',
    recipient: String(event.email),
    reason,
  });
  const word = String(event.event);
  if (word === 'group_resubscribe') return [{ kind: 'opt_in', ...source, channel: 'email', recipient: String(event.email) }];
  const reason = Object.hasOwn(optOuts, word) ? optOuts[word] : undefined;
  if (reason !== undefined) return [optOut(reason)];
  const status = Object.hasOwn(statuses, word) ? statuses[word] : undefined;
  if (status === undefined) return [];
  if (status !== 'failed') return [{ kind: 'report', ...source, status, ...noFailure }];
  const failure = sendgridFailureOf(event);
  const report: CallbackEvent = { kind: 'report', ...source, ...failed(failure, failure.providerCode) };
  if (failure.code !== suppressedCode) return [report];
  return [report, optOut(event.reason === 'Spam Reporting Address' ? 'complaint' : 'unsubscribed')];
}

/** The id from the answer to the hand-off: the first part of the event's message id, or of the Message-ID if there is no other. */
function messageIdOf({ sg_message_id, 'smtp-id': smtpId }: Json): string | null {
  if (typeof sg_message_id === 'string' && sg_message_id !== '') return sg_message_id.replace(/\.(?:filter|recvd).*$/, '');
  return /^<?([^@<>]+)@/.exec(String(smtpId ?? ''))?.[1] ?? null;
}
