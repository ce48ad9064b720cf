/** Twilio's Messages resource for sms and WhatsApp, and every host with the same API. https://www.twilio.com/docs/messaging/api/message-resource */
import type { Content } from '../../../models/rules/messages/content.js';
import type { AccountOf } from '../../../models/rules/routing/provider-kinds.js';
import { resultOf } from '../../../models/rules/callbacks/callback.js';
import { connectionOverrides, twilioStatusOf, whatsappPrefix } from '../../../models/rules/callbacks/twilio.js';
import { twilioFailures, twilioThrottles } from '../../../models/rules/failures/twilio.js';
import { partApart } from '../../../models/rules/messages/whatsapp-template.js';
import { httpClient, noneWithoutAnswer, type ProviderAnswer, socketsMax } from './http-client.js';
import { askCredentials, outcomeOfCode, sendOver, taken, throttled } from './outcomes.js';
import type { FetchedStatus, OutgoingMessage, Provider, SendOutcome } from './provider.js';

/**
 * Twilio has no idempotency keys, and its lists do not contain our ids. Only a delivery report contains our id, so only a report shows the
 * outcome of a call whose answer was lost.
 * @param callbackUrl the address for reports
 */
export function twilioAdapter(account: AccountOf<'twilio'>, callbackUrl: string): Provider {
  const client = httpClient(account.apiBase);
  const resource = `/2010-04-01/Accounts/${encodeURIComponent(account.accountSid)}/Messages`;
  const headers = { Authorization: `Basic ${Buffer.from(`${account.accountSid}:${account.authToken}`).toString('base64')}` };
  return {
    name: account.name,
    idempotent: false,
    connectionsMax: socketsMax,

    async send(message: OutgoingMessage, signal: AbortSignal): Promise<SendOutcome> {
      if (partApart(message.content.template) !== null) return oneListOnly;
      const request = {
        method: 'POST' as const,
        path: `${resource}.json`,
        headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' },
        body: formOf(account, message, callbackUrl).toString(),
      };
      return sendOver(client, request, signal, (answer) => outcomeOf(message, answer));
    },

    async fetchStatus(sid: string, signal: AbortSignal): Promise<FetchedStatus | null> {
      const path = `${resource}/${encodeURIComponent(sid)}.json`;
      const answer = await client.call({ method: 'GET', path, headers }, signal).catch(noneWithoutAnswer);
      return answer?.status === 200 ? statusOf(answer) : null;
    },

    // The newest message. https://www.twilio.com/docs/messaging/api/message-resource#read-multiple-message-resources
    checkCredentials: (signal) => askCredentials(client, { path: `${resource}.json?PageSize=1`, headers }, signal),
  };
}

/** Rejected without a call. If all accounts of the channel are like this one, the API refuses the request before. */
const oneListOnly: SendOutcome = {
  outcome: 'rejected',
  error_code: 'invalid_template',
  error_message: 'The carrier accepts values for header and buttons only as variables of the template',
  is_permanent: true,
  isUncalled: true,
};

function formOf({ senders }: AccountOf<'twilio'>, { id, channel, to, content }: OutgoingMessage, callbackUrl: string): URLSearchParams {
  const from = senders[channel] ?? '';
  const isService = /^MG[0-9a-f]{32}$/.test(from);
  const prefix = channel === 'whatsapp' ? whatsappPrefix : '';
  return new URLSearchParams({
    To: prefix + to,
    ...(isService ? { MessagingServiceSid: from } : { From: prefix + from }),
    ...whatOf(content),
    // Twilio posts every report to this address, and signs the address without its fragment.
    StatusCallback: `${callbackUrl}?message_id=${id}${connectionOverrides}`,
  });
}

/** The text, or the approved content template instead. */
function whatOf({ text, template }: Content): Record<string, string> {
  if (template === undefined) return { Body: text };
  const { name, variables = {} } = template;
  return { ContentSid: name, ...(Object.keys(variables).length === 0 ? {} : { ContentVariables: JSON.stringify(variables) }) };
}

function outcomeOf({ channel }: OutgoingMessage, answer: ProviderAnswer): SendOutcome {
  const { status, json } = answer;
  if (status === 200 || status === 201) return taken(json.sid);
  const code = String(json.code ?? status);
  if (twilioThrottles.has(Number(code))) return throttled(answer, code);
  // No such account: a fault of the operator, like wrong credentials.
  if (status === 404 && !Object.hasOwn(twilioFailures, code)) return { outcome: 'retryable', detail: 'credentials (404)' };
  return outcomeOfCode(answer, channel, twilioFailures, code);
}

function statusOf({ json }: ProviderAnswer): FetchedStatus | null {
  const status = twilioStatusOf(String(json.status));
  if (status === null) return null;
  const updatedAt = new Date(String(json.date_updated)); // RFC 2822
  return {
    ...resultOf(status, twilioFailures, json.error_code === null || json.error_code === undefined ? null : String(json.error_code)),
    occurred_at: Number.isNaN(updatedAt.getTime()) ? new Date() : updatedAt,
    raw: JSON.stringify({ sid: json.sid, status: json.status, error_code: json.error_code, date_updated: json.date_updated }),
  };
}
