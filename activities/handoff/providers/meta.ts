/** Meta's WhatsApp Cloud API. https://developers.facebook.com/docs/whatsapp/cloud-api/reference/messages */
import type { AccountOf } from '../../../models/rules/routing/provider-kinds.js';
import {
  metaAccessFaults,
  metaFailures,
  metaInternalErrors,
  metaPairLimit,
  metaSpamLimit,
  metaThrottles,
} from '../../../models/rules/failures/meta.js';
import { httpClient, type ProviderAnswer, socketsMax } from './http-client.js';
import { metaTemplate } from './meta-template.js';
import { askCredentials, outcomeOfCode, sendOver, taken, throttled, unavailable } from './outcomes.js';
import type { OutgoingMessage, Provider, SendOutcome } from './provider.js';

/** Meta supports each version for at least two years. */
const version = 'v23.0';
/** A restriction for spam does not end within seconds. */
const spamPauseMs = 60_000;

/** Meta has no idempotency keys and no status query. Its reports contain our id. */
export function metaAdapter({ name, apiBase, phoneNumberId, accessToken }: AccountOf<'meta'>): Provider {
  const client = httpClient(apiBase);
  const path = `/${version}/${encodeURIComponent(phoneNumberId)}/messages`;
  const headers = { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' };
  return {
    name,
    idempotent: false,
    connectionsMax: socketsMax,

    send(message: OutgoingMessage, signal: AbortSignal): Promise<SendOutcome> {
      const body = JSON.stringify(bodyOf(message));
      return sendOver(client, { method: 'POST', path, headers, body }, signal, outcomeOf);
    },

    // The number itself. https://developers.facebook.com/docs/whatsapp/business-management-api/manage-phone-numbers
    checkCredentials: (signal) => askCredentials(client, { path: `/${version}/${encodeURIComponent(phoneNumberId)}`, headers }, signal),
  };
}

function bodyOf({ id, to, content: { text, template } }: OutgoingMessage): object {
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to,
    biz_opaque_callback_data: id,
    ...(template === undefined
      ? { type: 'text', text: { preview_url: false, body: text } }
      : { type: 'template', template: metaTemplate(template) }),
  };
}

function outcomeOf(answer: ProviderAnswer): SendOutcome {
  const { status, json } = answer;
  if (status === 200) return taken(json.messages?.[0]?.id);
  const code = json.error?.code as number | undefined;
  if (code !== undefined) {
    if (metaThrottles.has(code)) return throttled(answer, code);
    // No such phone number, or no right to it: a fault of the operator, like wrong credentials.
    if (code === 100 && json.error.error_subcode === 33) return { outcome: 'retryable', detail: 'credentials (100/33)' };
    if (code === metaPairLimit) return { outcome: 'retryable', detail: String(code), concernsRecipient: true };
    if (code === metaSpamLimit) return { outcome: 'retryable', detail: String(code), retryAfterMs: spamPauseMs };
    const isInternal = metaInternalErrors.has(code) && (status < 500 || status === 503);
    if (isInternal || metaAccessFaults.has(code)) return unavailable(answer, code);
  }
  return outcomeOfCode(answer, 'whatsapp', metaFailures, String(code ?? status));
}
