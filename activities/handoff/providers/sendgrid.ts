/** SendGrid's Mail Send. https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send */
import type { AccountOf } from '../../../models/rules/routing/provider-kinds.js';
import { hard } from '../../../models/rules/failures/provider-failure.js';
import { httpClient, type ProviderAnswer, socketsMax } from './http-client.js';
import { addressOf } from '../../../models/rules/values/email.js';
import { nameOf, subjectOf } from './mail.js';
import { askCredentials, outcomeOfStatus, rejected, sendOver, taken } from './outcomes.js';
import type { OutgoingMessage, Provider, SendOutcome } from './provider.js';

/** SendGrid has no idempotency keys and no status query. Its events contain our id. */
export function sendgridAdapter(account: AccountOf<'sendgrid'>): Provider {
  const client = httpClient(account.apiBase);
  const headers = { Authorization: `Bearer ${account.apiKey}`, 'Content-Type': 'application/json' };
  return {
    name: account.name,
    idempotent: false,
    connectionsMax: socketsMax,

    send(message: OutgoingMessage, signal: AbortSignal): Promise<SendOutcome> {
      const body = JSON.stringify(bodyOf(account.from, message));
      return sendOver(client, { method: 'POST', path: '/v3/mail/send', headers, body }, signal, outcomeOf);
    },

    // The rights of the key. https://www.twilio.com/docs/sendgrid/api-reference/api-key-permissions
    checkCredentials: (signal) => askCredentials(client, { path: '/v3/scopes', headers }, signal),
  };
}

function bodyOf(from: string, { id, to, content, headers }: OutgoingMessage): object {
  return {
    personalizations: [{ to: [{ email: to }], custom_args: { message_id: id } }],
    from: { email: addressOf(from), name: nameOf(from) },
    subject: subjectOf(content),
    // Text first: SendGrid refuses another order.
    content: [
      { type: 'text/plain', value: content.text },
      ...(content.html === undefined ? [] : [{ type: 'text/html', value: content.html }]),
    ],
    ...(headers === undefined ? {} : { headers }),
  };
}

function outcomeOf(answer: ProviderAnswer): SendOutcome {
  const { status, headers, json } = answer;
  if (status === 200 || status === 202) return taken(headers['x-message-id']);
  const resetAtSeconds = Number(headers['x-ratelimit-reset']);
  if (status === 429 && resetAtSeconds > 0)
    return { outcome: 'throttled', detail: '429', retryAfterMs: Math.max(0, resetAtSeconds * 1000 - Date.now()) };
  const field = String(json.errors?.[0]?.field ?? '');
  const providerCode = field === '' ? String(status) : field;
  if (field.startsWith('from') && (status === 400 || status === 403)) return rejected('email', hard('sender_refused'), providerCode);
  if (status === 400 && /^personalizations\.\d+\.to/.test(field)) return rejected('email', hard('30008'), providerCode);
  if (status === 400 || status === 413) return rejected('email', hard('invalid_content'), providerCode);
  return outcomeOfStatus(answer) ?? rejected('email', hard('invalid_content'), providerCode);
}
