/** Twilio's Messages resource on a free port of this machine: accepts messages, returns them, and posts signed status callbacks. */
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import twilio from 'twilio';
import { type Counterpart, post, reply, startCounterpart, type Taken } from './counterpart.js';

export interface TakenMessage {
  sid: string;
  status: string;
  /** The form fields of the request. */
  form: Record<string, string>;
  error_code: number | null;
}

/** May answer a request for a message. @returns true: the request is handled */
export type Interference = (response: ServerResponse, form: Record<string, string>, call: number) => boolean;

export interface TwilioCounterpart extends Counterpart {
  taken: TakenMessage[];
  /** The number of requests for a message, accepted or not. */
  calls: number;
  /** The delay of the response after a message is accepted. Default: 0. */
  answerAfterMs: number;
  /** Changes the handling of requests from now on. */
  interfere: Interference;
  /** Changes the status of a message and posts the callback, signed with `token`. @returns the status of the response */
  report(message: TakenMessage, status: string, options?: { errorCode?: number; token?: string }): Promise<number>;
  /** Posts an incoming message. @returns the status of the response */
  bring(callbackUrl: string, message: Incoming): Promise<number>;
}

/** A message from a person. */
interface Incoming {
  From: string;
  To: string;
  Body: string;
  OptOutType?: string;
}

export const twilioAccount = {
  sid: 'AC0123456789abcdef0123456789abcdef',
  token: 'auth-token-of-the-tests',
  from: '+15005550100',
  whatsappFrom: '+14155238886',
};
export const twilioEnv = ({ url }: Pick<Counterpart, 'url'>): Record<string, string> => ({
  PROVIDER_SMS: 'twilio',
  TWILIO_ACCOUNT_SID: twilioAccount.sid,
  TWILIO_AUTH_TOKEN: twilioAccount.token,
  TWILIO_FROM: twilioAccount.from,
  PROVIDER_WHATSAPP: 'twilio',
  TWILIO_WHATSAPP_FROM: twilioAccount.whatsappFrom,
  TWILIO_API_BASE: url,
});

/** Twilio's own client, which calls the counterpart. */
export function officialClient(counterpart: Counterpart): ReturnType<typeof twilio> {
  const http = new twilio.RequestClient();
  const request = http.request.bind(http);
  http.request = (options) => request({ ...options, uri: options.uri.replace('https://api.twilio.com', counterpart.url) });
  return twilio(twilioAccount.sid, twilioAccount.token, { httpClient: http });
}

const resource = `/2010-04-01/Accounts/${twilioAccount.sid}/Messages`;
const credentials = `Basic ${Buffer.from(`${twilioAccount.sid}:${twilioAccount.token}`).toString('base64')}`;

/** An error response in the format of Twilio. */
export function refuse(response: ServerResponse, status: number, code: number, headers: Record<string, string> = {}): true {
  return reply(response, status, { code, message: 'Refused', more_info: `https://www.twilio.com/docs/errors/${code}`, status }, headers);
}

export async function startTwilio(): Promise<TwilioCounterpart> {
  const counterpart: TwilioCounterpart = {
    ...(await startCounterpart((request, response) => answer(counterpart, request, response))),
    taken: [],
    calls: 0,
    answerAfterMs: 0,
    interfere: () => false,
    report,
    bring: (callbackUrl, message) => {
      const { body, headers } = incoming(callbackUrl, message);
      return post(callbackUrl, body, headers);
    },
  };
  return counterpart;
}

function answer(counterpart: TwilioCounterpart, { method, path, headers, body }: Taken, response: ServerResponse) {
  const form = Object.fromEntries(new URLSearchParams(body));
  if (headers.authorization !== credentials) return refuse(response, 401, 20003);
  if (method === 'GET') {
    const found = counterpart.taken.find(({ sid }) => path === `${resource}/${sid}.json`);
    return found === undefined ? refuse(response, 404, 20404) : show(response, 200, found);
  }
  if (method !== 'POST' || path !== `${resource}.json`) return refuse(response, 404, 20404);
  counterpart.calls += 1;
  if (counterpart.interfere(response, form, counterpart.calls)) return;
  const fault = faultOf(form);
  if (fault !== null) return refuse(response, 400, fault);
  const message = { sid: `SM${randomBytes(16).toString('hex')}`, status: 'queued', form, error_code: null };
  counterpart.taken.push(message);
  return confirm(response, message, counterpart.answerAfterMs);
}

/** The error code with which Twilio would refuse the message; null if it would accept it. */
function faultOf({ To, From, MessagingServiceSid, Body, ContentSid, ContentVariables }: Record<string, string>): number | null {
  if (To === undefined) return 21604;
  if (From === undefined && MessagingServiceSid === undefined) return 21603;
  if (From !== undefined && From.startsWith('whatsapp:') !== To.startsWith('whatsapp:')) return 21910;
  if (Body === undefined && ContentSid === undefined) return 21602;
  if (ContentSid !== undefined && !/^HX[0-9a-f]{32}$/.test(ContentSid)) return 21655;
  return ContentVariables !== undefined && !isFlatObject(ContentVariables) ? 21656 : null;
}

/** Sends the response. Twilio has the message even if the response is lost. */
function confirm(response: ServerResponse, message: TakenMessage, afterMs: number): void {
  if (afterMs === 0) show(response, 201, message);
  else setTimeout(() => response.destroyed || show(response, 201, message), afterMs);
}

async function report(
  message: TakenMessage,
  status: string,
  { errorCode, token = twilioAccount.token }: { errorCode?: number; token?: string } = {},
) {
  // A callback with another token is forged, so Twilio does not know its status.
  if (token === twilioAccount.token) Object.assign(message, { status, error_code: errorCode ?? null });
  const [url = ''] = (message.form.StatusCallback ?? '').split('#'); // Twilio neither sends nor signs the fragment
  const fields = {
    ...account,
    From: message.form.From ?? '',
    MessageSid: message.sid,
    MessageStatus: status,
    SmsSid: message.sid,
    SmsStatus: status,
    To: message.form.To ?? '',
    ...(errorCode === undefined ? {} : { ErrorCode: String(errorCode) }),
  };
  const { body, headers } = signed(url, fields, token);
  return post(url, body, headers);
}

const account = { AccountSid: twilioAccount.sid, ApiVersion: '2010-04-01' };

/** The request with which Twilio passes on an incoming message. */
export function incoming(callbackUrl: string, message: Incoming): { body: URLSearchParams; headers: Record<string, string> } {
  const sid = `SM${randomBytes(16).toString('hex')}`;
  return signed(callbackUrl, {
    ...account,
    MessageSid: sid,
    SmsSid: sid,
    SmsStatus: 'received',
    NumMedia: '0',
    NumSegments: '1',
    ...message,
  });
}

function signed(url: string, fields: Record<string, string>, token = twilioAccount.token) {
  const headers = { 'X-Twilio-Signature': twilio.getExpectedTwilioSignature(token, url, fields) };
  return { body: new URLSearchParams(fields), headers };
}

function isFlatObject(text: string): boolean {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null && Object.values(value).every((each) => typeof each === 'string');
}

function show(response: ServerResponse, status: number, { sid, form, error_code, status: word }: TakenMessage): true {
  const now = new Date().toUTCString().replace('GMT', '+0000');
  return reply(response, status, {
    account_sid: twilioAccount.sid,
    api_version: '2010-04-01',
    body: form.Body,
    date_created: now,
    date_sent: null,
    date_updated: now,
    direction: 'outbound-api',
    error_code,
    error_message: null,
    from: form.From ?? null,
    messaging_service_sid: form.MessagingServiceSid ?? null,
    num_media: '0',
    num_segments: '1',
    price: null,
    price_unit: 'USD',
    sid,
    status: word,
    subresource_uris: { media: `${resource}/${sid}/Media.json` },
    to: form.To,
    uri: `${resource}/${sid}.json`,
  });
}
