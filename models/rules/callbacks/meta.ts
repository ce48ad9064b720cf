/** The webhooks of Meta's WhatsApp Cloud API. https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks/reference/messages/status */
import { createHmac } from 'node:crypto';
import type { AccountOf } from '../routing/provider-kinds.js';
import { invalidCallbackSignature } from '../../errors.js';
import { metaFailures } from '../failures/meta.js';
import { isSameSecret, presentAndFormer } from '../values/same-secret.js';
import type { ReportStatus } from '../messages/status.js';
import { suppressedCode } from '../contacts/suppression.js';
import { optRequestText } from '../contacts/keywords.js';
import { type CallbackEvent, type CallbackRequest, resultOf } from './callback.js';
import { echoOf, headerOf, type Json, momentOf, parseJson } from './json-body.js';

const statuses: Readonly<Record<string, ReportStatus>> = { sent: 'sent', delivered: 'delivered', read: 'read', failed: 'failed' };

type Account = Pick<AccountOf<'meta'>, 'name' | 'phoneNumberId' | 'appSecret' | 'oldAppSecret' | 'verifyToken'>;

/**
 * Verifies a callback and reads its content about our senders. Others may share the app.
 * @param accounts all accounts of this kind, because an app has one callback URL for all its senders
 * @throws AppError forbidden if the signature is absent or wrong, validation_failed if the body is not JSON
 */
export function readMetaCallback(
  account: Account,
  accounts: readonly Account[],
  { headers, body, at }: Pick<CallbackRequest, 'headers' | 'body' | 'at'>,
): CallbackEvent[] {
  const given = headerOf(headers, 'x-hub-signature-256');
  const signatureOf = (secret: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const secrets = presentAndFormer(account.appSecret, account.oldAppSecret);
  if (!secrets.some((secret) => isSameSecret(given, signatureOf(secret)))) throw invalidCallbackSignature();
  const { entry } = parseJson(body) ?? {};
  const changes = listOf(entry).flatMap((each) => listOf(each?.changes));
  const ofApp = accounts.filter(({ appSecret }) => appSecret === account.appSecret);
  return changes.flatMap((change) => {
    const sender = ofApp.find(({ phoneNumberId }) => phoneNumberId === change?.value?.metadata?.phone_number_id);
    return sender === undefined ? [] : eventsOf(sender.name, change, at);
  });
}

function eventsOf(provider: string, { field, value }: Json, at: Date): CallbackEvent[] {
  if (field === 'user_preferences') return listOf(value.user_preferences).flatMap((preference) => preferenceOf(provider, preference, at));
  if (field !== 'messages') return [];
  return [
    ...listOf(value.statuses).flatMap((status) => reportsOf(provider, status, at)),
    ...listOf(value.messages).flatMap((message) => inboundOf(provider, value.metadata, message, at)),
  ];
}

/**
 * Meta verifies once that the URL is ours.
 * @returns the text of the answer; null if the request is not from Meta
 */
export function answerMetaHandshake({ verifyToken }: Pick<Account, 'verifyToken'>, query: URLSearchParams): string | null {
  const isOurs = query.get('hub.mode') === 'subscribe' && isSameSecret(query.get('hub.verify_token') ?? '', verifyToken);
  return isOurs ? query.get('hub.challenge') : null;
}

const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value : []);

function reportsOf(provider: string, said: Json, at: Date): CallbackEvent[] {
  const status = Object.hasOwn(statuses, String(said?.status)) ? statuses[said.status] : undefined;
  if (status === undefined || typeof said.id !== 'string') return [];
  const source = {
    provider,
    provider_message_id: said.id,
    message_id: echoOf(said.biz_opaque_callback_data),
    occurred_at: momentOf(said.timestamp, at),
    raw: JSON.stringify(said),
  };
  const theirs = said.errors?.[0]?.code === undefined ? null : String(said.errors[0].code);
  const report: CallbackEvent = { kind: 'report', ...source, ...resultOf(status, metaFailures, theirs) };
  if (report.error_code !== suppressedCode) return [report];
  return [report, { kind: 'opt_out', ...source, channel: 'whatsapp', recipient: phoneOf(said.recipient_id), reason: 'unsubscribed' }];
}

/** A person who hides their number has none here, and cannot receive messages. */
function inboundOf(provider: string, sender: Json, said: Json, at: Date): CallbackEvent[] {
  if (typeof said?.id !== 'string' || !/^\d+$/.test(String(said.from))) return [];
  const pressed = said.interactive?.button_reply;
  return [
    {
      kind: 'inbound',
      provider,
      provider_message_id: said.id,
      channel: 'whatsapp',
      from: phoneOf(said.from),
      to: phoneOf(sender.display_phone_number),
      text: optRequestText([said.text?.body, said.button?.text, pressed?.title], [said.button?.payload, pressed?.id]),
      occurred_at: momentOf(said.timestamp, at),
      raw: JSON.stringify(said),
    },
  ];
}

/** The setting for the marketing messages of our sender, in the WhatsApp of the recipient. */
function preferenceOf(provider: string, said: Json, at: Date): CallbackEvent[] {
  if (said?.category !== 'marketing_messages' || !/^\d+$/.test(String(said.wa_id))) return [];
  const source = {
    provider,
    channel: 'whatsapp' as const,
    recipient: phoneOf(said.wa_id),
    message_id: null,
    provider_message_id: null,
    occurred_at: momentOf(said.timestamp, at),
    raw: JSON.stringify(said),
  };
  if (said.value === 'stop') return [{ kind: 'opt_out', ...source, reason: 'unsubscribed' }];
  return said.value === 'resume' ? [{ kind: 'opt_in', ...source }] : [];
}

/** Meta writes phone numbers without the plus sign, and its own with spaces and punctuation. */
const phoneOf = (digits: unknown) => `+${String(digits).replaceAll(/\D/g, '')}`;
