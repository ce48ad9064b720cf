/** SendGrid: types of bounces and reasons of drops in its events. https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event */
import { type FailureTable, hard, lookUp, optedOut, type ProviderFailure, soft } from './provider-failure.js';
import { enhancedFailureOf, isSpecificCode } from './smtp.js';

const bounces: FailureTable = {
  bounce: hard('30008'),
  blocked: soft('30007'),
  expired: soft('30006'), // SendGrid tried for three days
};

const drops: FailureTable = {
  'Bounced Address': hard('30008'),
  Invalid: hard('30008'),
  'Unsubscribed Address': optedOut,
  'Spam Reporting Address': optedOut,
  'Spam Content': soft('30007'),
  'Recipient List over Package Quota': soft('limit_exceeded'),
  'Invalid SMTPAPI header': hard('invalid_content'),
};

/** Our failure for an event: for `bounce` by the answer of the receiving server (RFC 3463), for `dropped` by its reason. */
export function sendgridFailureOf({ event, type, status, reason }: Readonly<Record<string, unknown>>): ProviderFailure & {
  providerCode: string;
} {
  if (event === 'dropped') return entryOf(drops, reason);
  if (typeof status === 'string' && isSpecificCode(status) && type !== 'blocked')
    return { ...enhancedFailureOf(status, String(reason)), providerCode: status };
  return entryOf(bounces, type);
}

function entryOf(table: FailureTable, code: unknown): ProviderFailure & { providerCode: string } {
  const providerCode = typeof code === 'string' ? code : '';
  return { ...lookUp(table, providerCode), providerCode };
}
