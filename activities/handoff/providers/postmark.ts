/** Postmark's e-mail API. https://postmarkapp.com/developer/api/email-api */
import { resultOf } from '../../../models/rules/callbacks/callback.js';
import { momentOf } from '../../../models/rules/callbacks/json-body.js';
import type { AccountOf } from '../../../models/rules/routing/provider-kinds.js';
import { lookUp } from '../../../models/rules/failures/provider-failure.js';
import { postmarkFailures, postmarkRefusalOf } from '../../../models/rules/failures/postmark.js';
import { httpClient, noneWithoutAnswer, type ProviderAnswer, socketsMax } from './http-client.js';
import { headersOf, quotedSender, subjectOf } from './mail.js';
import { askCredentials, outcomeOfStatus, rejected, sendOver, taken, unavailable } from './outcomes.js';
import type { FetchedStatus, OutgoingMessage, Provider, SendOutcome } from './provider.js';

/** Time after a call until the search is sure to find the message. */
const searchLagMs = 60_000;

/**
 * Postmark has no idempotency keys. Its search finds messages of one stream by our id in their metadata, which shows the outcome of a lost
 * answer.
 */
export function postmarkAdapter(account: AccountOf<'postmark'>): Provider {
  const client = httpClient(account.apiBase);
  const headers = { 'X-Postmark-Server-Token': account.serverToken, Accept: 'application/json', 'Content-Type': 'application/json' };
  const get = async (path: string, signal: AbortSignal) => {
    const answer = await client.call({ method: 'GET', path: `/messages/outbound${path}`, headers }, signal);
    return answer.status === 200 ? answer.json : null;
  };
  return {
    name: account.name,
    idempotent: false,
    connectionsMax: socketsMax,

    send(message: OutgoingMessage, signal: AbortSignal): Promise<SendOutcome> {
      const request = { method: 'POST' as const, path: '/email', headers, body: JSON.stringify(bodyOf(account, message)) };
      return sendOver(client, request, signal, outcomeOf);
    },

    async fetchStatus(messageId: string, signal: AbortSignal): Promise<FetchedStatus | null> {
      const details = await get(`/${encodeURIComponent(messageId)}/details`, signal).catch(noneWithoutAnswer);
      return Array.isArray(details?.MessageEvents) ? statusOf(details.MessageEvents as unknown[]) : null;
    },

    async reconcile({ id: messageId, uncertain_ms }: OutgoingMessage, signal: AbortSignal): Promise<string | undefined> {
      const query = new URLSearchParams({ count: '1', offset: '0', messagestream: account.messageStream, metadata_message_id: messageId });
      const answer = await get(`?${query}`, signal);
      if (!Array.isArray(answer?.Messages)) throw new Error('no answer');
      const id: unknown = answer.Messages[0]?.MessageID;
      const found = typeof id === 'string' && id !== '' ? id : undefined;
      if (found === undefined && (uncertain_ms ?? 0) < searchLagMs) throw new Error('too early for the search');
      return found;
    },

    // The server of the token. https://postmarkapp.com/developer/api/server-api
    checkCredentials: (signal) => askCredentials(client, { path: '/server', headers }, signal),
  };
}

function bodyOf({ from, messageStream }: AccountOf<'postmark'>, { id, to, content, headers }: OutgoingMessage): object {
  return {
    From: quotedSender(from),
    To: to,
    Subject: subjectOf(content),
    TextBody: content.text,
    ...(content.html === undefined ? {} : { HtmlBody: content.html }),
    MessageStream: messageStream,
    Metadata: { message_id: id },
    ...headersOf(headers),
  };
}

function outcomeOf(answer: ProviderAnswer): SendOutcome {
  const { status, json } = answer;
  const code = String(json.ErrorCode ?? status);
  if (status === 200 && code === '0') return taken(json.MessageID);
  if (code === '100') return unavailable(answer, code); // maintenance
  if (status === 422 || (status === 200 && typeof json.ErrorCode === 'number'))
    return rejected('email', postmarkRefusalOf(code, json.Message), code);
  if (status === 413) return rejected('email', lookUp(postmarkFailures, '402'), code);
  return outcomeOfStatus(answer) ?? rejected('email', lookUp(postmarkFailures, null), code);
}

const statusOfEvent: Readonly<Record<string, 'delivered' | 'failed'>> = { Delivered: 'delivered', Bounced: 'failed' };

/** An event that maps to one of our statuses. */
interface StatusEvent {
  Type: string;
  ReceivedAt?: unknown;
}

const isStatusEvent = (event: unknown): event is StatusEvent =>
  typeof event === 'object' &&
  event !== null &&
  'Type' in event &&
  typeof event.Type === 'string' &&
  Object.hasOwn(statusOfEvent, event.Type);

/** The last event with a status. It has no bounce type; only the report has it, and that comes later. */
function statusOf(events: readonly unknown[]): FetchedStatus | null {
  const last = events.findLast(isStatusEvent);
  const status = last && statusOfEvent[last.Type];
  if (last === undefined || status === undefined) return null;
  return {
    ...resultOf(status, postmarkFailures, last.Type),
    occurred_at: momentOf(last.ReceivedAt, new Date()),
    raw: JSON.stringify(last),
  };
}
