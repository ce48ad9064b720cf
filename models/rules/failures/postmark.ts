/** Postmark: error codes of its API, and types of bounces. https://postmarkapp.com/developer/api/overview#error-codes */
import { type FailureTable, hard, lookUp, type ProviderFailure, soft } from './provider-failure.js';

export const postmarkFailures: FailureTable = {
  '300': hard('invalid_content'), // an invalid request: see `postmarkRefusalOf`
  '400': soft('sender_refused'), // the sender is unknown to Postmark
  '401': soft('sender_refused'), // the sender is not confirmed
  '402': hard('invalid_content'),
  '403': hard('invalid_content'),
  '405': soft('limit_exceeded'), // no credits left at Postmark
  '406': hard('suppressed'), // inactive: hard bounce, complaint, or removed
  '409': hard('invalid_content'),
  '411': hard('invalid_content'),
  '412': soft('sender_refused'), // the account is not approved yet
  '413': soft('sender_refused'), // the account may not send
  '1235': soft('sender_refused'), // no such message stream
  HardBounce: hard('30008'),
  BadEmailAddress: hard('30008'),
  ManuallyDeactivated: hard('suppressed'),
  SpamComplaint: hard('suppressed'),
  SpamNotification: soft('30007'),
  VirusNotification: hard('30007'),
  Blocked: soft('30007'),
  ChallengeVerification: soft('30006'),
  DMARCPolicy: soft('sender_refused'),
  TemplateRenderingFailed: hard('invalid_content'),
  DnsError: soft('30006'),
  SMTPApiError: soft('undeliverable'),
  SoftBounce: soft('30006'),
};

const badRecipient = /^(?:invalid|error parsing) 'to'/i;
const badSender = /^(?:invalid|error parsing) 'from'/i;

/** Our failure for a refusal by the API. Code 300 is about the recipient, the sender or the content; only the text tells which. */
export function postmarkRefusalOf(code: string, message: unknown): ProviderFailure {
  const text = code === '300' ? String(message) : '';
  if (badRecipient.test(text)) return hard('30008');
  return badSender.test(text) ? soft('sender_refused') : lookUp(postmarkFailures, code);
}

/** Bounces that do not mean that the mail has failed: it is delayed, or an automatic reply was sent. */
export const postmarkNotes: ReadonlySet<string> = new Set([
  'Transient',
  'Subscribe',
  'AutoResponder',
  'AddressChange',
  'OpenRelayTest',
  'InboundError',
]);
