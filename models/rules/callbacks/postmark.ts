/**
 * The webhooks of Postmark: one event per request, authenticated by a password in the URL.
 * https://postmarkapp.com/developer/webhooks/webhooks-overview
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { AccountOf } from '../routing/provider-kinds.js';
import { invalidCallbackSignature } from '../../errors.js';
import { postmarkFailures, postmarkNotes } from '../failures/postmark.js';
import { isSameSecret, presentAndFormer } from '../values/same-secret.js';
import { type CallbackEvent, type CallbackRequest, type IncomingReport, type OptOut, noFailure, resultOf } from './callback.js';
import { echoOf, headerOf, type Json, momentOf, parseJson } from './json-body.js';

type Account = Pick<AccountOf<'postmark'>, 'name' | 'callbackPassword' | 'oldCallbackPassword'>;

/** Whether the head contains the password of the account's webhook. */
export function isPostmark(account: Omit<Account, 'name'>, headers: IncomingHttpHeaders): boolean {
  const [, credentials = ''] = /^basic +([A-Za-z0-9+/=]+)$/i.exec(headerOf(headers, 'authorization')) ?? [];
  const [, password = ''] = /^[^:]*:(.+)$/.exec(Buffer.from(credentials, 'base64').toString('utf8')) ?? [];
  return presentAndFormer(account.callbackPassword, account.oldCallbackPassword).some((each) => isSameSecret(password, each));
}

/**
 * Verifies a callback and reads its event; none if the event has no counterpart here, for example an open.
 * @throws AppError forbidden if the password is absent or wrong, validation_failed if the body is not JSON
 */
export function readPostmarkCallback(
  account: Account,
  { headers, body, at }: Pick<CallbackRequest, 'headers' | 'body' | 'at'>,
): CallbackEvent[] {
  if (!isPostmark(account, headers)) throw invalidCallbackSignature();
  const event = parseJson(body);
  return typeof event === 'object' && event !== null ? eventsOf(account.name, event, at) : [];
}

function eventsOf(provider: string, event: Json, at: Date): CallbackEvent[] {
  const id: string | null = typeof event.MessageID === 'string' && event.MessageID !== '' ? event.MessageID : null;
  const source = { provider, message_id: echoOf(event.Metadata?.message_id), raw: JSON.stringify(event) };
  const optRequest = { ...source, provider_message_id: id, channel: 'email' } as const;
  const optOut = (reason: OptOut['reason'], recipient: unknown, moment: unknown): CallbackEvent[] => [
    { kind: 'opt_out', ...optRequest, recipient: String(recipient), reason, occurred_at: momentOf(moment, at) },
  ];
  const reportOf = (report: Omit<IncomingReport, 'provider_message_id'>): CallbackEvent[] =>
    id === null ? [] : [{ kind: 'report', ...report, provider_message_id: id }];
  switch (event.RecordType) {
    case 'Delivery': {
      const succeeded = { status: 'delivered', ...noFailure } as const;
      return reportOf({ ...source, ...succeeded, occurred_at: momentOf(event.DeliveredAt, at) });
    }
    case 'SpamComplaint':
      return optOut('complaint', event.Email, event.BouncedAt);
    case 'SubscriptionChange':
      if (isUnsubscription(event)) return optOut('unsubscribed', event.Recipient, event.ChangedAt);
      return isReactivation(event) ? [reactivationOf(provider, event, at)] : [];
    case 'Bounce':
      if (event.Type === 'Unsubscribe') return optOut('unsubscribed', event.Email, event.BouncedAt);
      if (postmarkNotes.has(event.Type)) return [];
      return reportOf({
        ...source,
        ...resultOf('failed', postmarkFailures, String(event.Type)),
        occurred_at: momentOf(event.BouncedAt, at),
      });
    default:
      return [];
  }
}

/** Bounces and complaints end a subscription too, but have events of their own. */
const isUnsubscription = ({ SuppressSending, SuppressionReason }: Json) =>
  SuppressSending === true && SuppressionReason === 'ManualSuppression';

/** The owner of the account can reactivate an address too, but cannot speak for the recipient. */
const isReactivation = ({ SuppressSending, Origin }: Json) => SuppressSending === false && Origin === 'Recipient';

/** It is for every workspace that wrote to the address: Postmark has one list for all of them. */
function reactivationOf(provider: string, event: Json, at: Date): CallbackEvent {
  const optRequest = { provider, channel: 'email', message_id: null, provider_message_id: null, raw: JSON.stringify(event) } as const;
  return { kind: 'opt_in', ...optRequest, recipient: String(event.Recipient), occurred_at: momentOf(event.ChangedAt, at) };
}
