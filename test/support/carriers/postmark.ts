/** Postmark's e-mail API: accepts messages, finds them by metadata, and posts events with basic authentication. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type Counterpart, post, reply, startCounterpart, type Taken } from './counterpart.js';

/** The e-mail of a request. */
interface PostmarkMail {
  From?: string;
  To?: string;
  Subject?: string;
  TextBody?: string;
  HtmlBody?: string;
  MessageStream?: string;
  Metadata?: Record<string, string>;
  Headers?: { Name: string; Value: string }[];
}

export interface TakenMail {
  id: string;
  mail: PostmarkMail;
  events: { Type: string; ReceivedAt: string }[];
}

export interface PostmarkCounterpart extends Counterpart {
  taken: TakenMail[];
  calls: number;
  /** May answer a request for a message. @returns true: the request is handled */
  interfere: (response: ServerResponse, call: number) => boolean;
  /** The JSON with which it answers queries instead of its own; undefined: its own. */
  queried: unknown;
  /** Posts an event to the webhook. @returns the status of the response */
  tell(callbackUrl: string, event: object, password?: string): Promise<number>;
}

export const postmarkAccount = { token: 'server-token-of-the-tests', password: 'password-of-the-tests' };
export const postmarkEnv = ({ url }: Pick<Counterpart, 'url'>): Record<string, string> => ({
  PROVIDER_EMAIL: 'postmark',
  EMAIL_FROM: 'Example <hello@example.test>',
  POSTMARK_SERVER_TOKEN: postmarkAccount.token,
  POSTMARK_CALLBACK_PASSWORD: postmarkAccount.password,
  POSTMARK_API_BASE: url,
});

/** An error response in the format of Postmark. */
export const refuse = (
  response: ServerResponse,
  status: number,
  ErrorCode: number,
  headers: Record<string, string> = {},
  Message = 'Refused',
): true => reply(response, status, { ErrorCode, Message }, headers);

export async function startPostmark(): Promise<PostmarkCounterpart> {
  const counterpart: PostmarkCounterpart = {
    ...(await startCounterpart((request, response) => answer(counterpart, request, response))),
    taken: [],
    calls: 0,
    interfere: () => false,
    queried: undefined,
    tell: (callbackUrl, event, password = postmarkAccount.password) =>
      post(callbackUrl, JSON.stringify(event), {
        'Content-Type': 'application/json',
        Authorization: `Basic ${Buffer.from(`postmark:${password}`).toString('base64')}`,
      }),
  };
  return counterpart;
}

function answer(counterpart: PostmarkCounterpart, { method, path, headers, body }: Taken, response: ServerResponse) {
  if (headers['x-postmark-server-token'] !== postmarkAccount.token) return refuse(response, 401, 10);
  const { pathname, searchParams } = new URL(path, counterpart.url);
  if (method === 'GET' && counterpart.queried !== undefined) return reply(response, 200, counterpart.queried);
  if (method === 'GET') return show(counterpart, response, pathname, searchParams);
  if (method !== 'POST' || pathname !== '/email') return reply(response, 404, null);
  counterpart.calls += 1;
  if (counterpart.interfere(response, counterpart.calls)) return;
  const mail: PostmarkMail = JSON.parse(body);
  const fault = faultOf(mail);
  if (fault !== null) return refuse(response, 422, 300, {}, fault);
  const id = randomUUID();
  counterpart.taken.push({ id, mail, events: [] });
  return reply(response, 200, { To: mail.To, SubmittedAt: new Date().toISOString(), MessageID: id, ErrorCode: 0, Message: 'OK' });
}

const defaultStream = 'outbound';

function show({ taken }: PostmarkCounterpart, response: ServerResponse, path: string, query: URLSearchParams) {
  if (path === '/messages/outbound') {
    if (query.get('count') === null || query.get('offset') === null) return refuse(response, 422, 600);
    // Without a stream the search finds messages of the default one only.
    const stream = query.get('messagestream') ?? defaultStream;
    const found = taken.filter(
      ({ mail }) => mail.Metadata?.message_id === query.get('metadata_message_id') && (mail.MessageStream ?? defaultStream) === stream,
    );
    return reply(response, 200, { TotalCount: found.length, Messages: found.map(summaryOf) });
  }
  const found = taken.find(({ id }) => path === `/messages/outbound/${id}/details`);
  if (found === undefined) return refuse(response, 422, 701);
  return reply(response, 200, { ...summaryOf(found), TextBody: found.mail.TextBody, MessageEvents: found.events });
}

const summaryOf = ({ id, mail: { From, Subject, Metadata } }: TakenMail) => ({ MessageID: id, Status: 'Sent', From, Subject, Metadata });

/** The text with which Postmark would refuse the e-mail, with code 300; null if it would accept it. */
function faultOf({ From, To, TextBody, HtmlBody, Metadata = {} }: PostmarkMail): string | null {
  if (From === undefined) return "Invalid 'From' address: ''.";
  if (To === undefined) return 'Zero recipients specified';
  if (TextBody === undefined && HtmlBody === undefined) return 'Provide either email TextBody or HtmlBody or both.';
  // https://postmarkapp.com/support/article/1180-what-does-errorcode-300-mean
  for (const [field, value] of Object.entries({ From, To })) {
    const address = /<([^<>]*)>$/.exec(value)?.[1] ?? value;
    const [, mailbox = '', domain = ''] = /^(.*)@(.*)$/.exec(address) ?? [];
    if (!/^(?:\.?[a-z0-9-])+$/i.test(domain)) return `Error parsing '${field}': Illegal email domain '${domain}' in address '${value}'.`;
    if (!/^[a-z0-9.!#$%&'`*+\-/=^_{}|~]+$/i.test(mailbox) || /^\.|\.\.|\.$/.test(mailbox))
      return `Error parsing '${field}': Illegal email mailbox '${mailbox}' in address '${value}'.`;
  }
  return Object.entries(Metadata).some(([name, value]) => name.length > 20 || value.length > 80) ? 'Invalid metadata' : null;
}
