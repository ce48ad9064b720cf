/** SendGrid's Mail Send and its signed event webhook. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type Counterpart, post, reply, startCounterpart, type Taken } from './counterpart.js';

interface Mail {
  personalizations?: { to?: { email: string }[]; custom_args?: Record<string, string> }[];
  from?: { email: string; name?: string };
  subject?: string;
  content?: { type: string; value: string }[];
  headers?: Record<string, string>;
}

export interface SendgridCounterpart extends Counterpart {
  taken: { id: string; mail: Mail }[];
  /** May answer a request for a message. @returns true: the request is handled */
  interfere: (response: ServerResponse, mail: Mail) => boolean;
  /** Posts signed events to the webhook. @returns the status of the response */
  tell(callbackUrl: string, events: object[], signed?: Record<string, string>): Promise<number>;
}

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

export const sendgridAccount = {
  apiKey: 'SG.key-of-the-tests',
  verificationKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
};
export const sendgridEnv = ({ url }: Pick<Counterpart, 'url'>): Record<string, string> => ({
  PROVIDER_EMAIL: 'sendgrid',
  EMAIL_FROM: 'Example <hello@example.test>',
  SENDGRID_API_KEY: sendgridAccount.apiKey,
  SENDGRID_VERIFICATION_KEY: sendgridAccount.verificationKey,
  SENDGRID_API_BASE: url,
});

/** The headers of a signed callback. */
export function signEvents(body: string, at = new Date(), key = privateKey): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  return {
    'X-Twilio-Email-Event-Webhook-Timestamp': timestamp,
    'X-Twilio-Email-Event-Webhook-Signature': sign('sha256', Buffer.from(timestamp + body), key).toString('base64'),
  };
}

/** An error response in the format of SendGrid. */
export const refuse = (response: ServerResponse, status: number, field: string | null, headers: Record<string, string> = {}): true =>
  reply(response, status, { errors: [{ message: 'Refused', field, help: null }] }, headers);

export async function startSendgrid(): Promise<SendgridCounterpart> {
  const counterpart: SendgridCounterpart = {
    ...(await startCounterpart(answer)),
    taken: [],
    interfere: () => false,
    tell: (callbackUrl, events, signed) => {
      const body = JSON.stringify(events);
      return post(callbackUrl, body, { 'Content-Type': 'application/json', ...(signed ?? signEvents(body)) });
    },
  };

  function answer({ method, path, headers, body }: Taken, response: ServerResponse) {
    if (headers.authorization !== `Bearer ${sendgridAccount.apiKey}`) return refuse(response, 401, null);
    if (method !== 'POST' || path !== '/v3/mail/send') return refuse(response, 404, null);
    const mail: Mail = JSON.parse(body);
    if (counterpart.interfere(response, mail)) return;
    const field = faultOf(mail);
    if (field !== null) return refuse(response, 400, field);
    const id = randomBytes(16).toString('base64url');
    counterpart.taken.push({ id, mail });
    return reply(response, 202, null, { 'X-Message-Id': id });
  }
  return counterpart;
}

/** The first field for which SendGrid would refuse the e-mail; null if it would accept it. */
function faultOf({ personalizations = [], from, subject, content = [] }: Mail): string | null {
  if (personalizations.length === 0) return 'personalizations';
  const bad = personalizations.findIndex(({ to = [] }) => to.length === 0 || to.some(({ email }) => !/^[^@\s]+@[^@\s]+$/.test(email)));
  if (bad >= 0) return `personalizations.${bad}.to`;
  if (from === undefined) return 'from';
  if (subject === undefined || subject === '') return 'subject';
  if (content.length === 0 || content.some(({ value }) => value === '')) return 'content';
  const text = content.findIndex(({ type }) => type === 'text/plain');
  return text > 0 ? 'content.0.type' : null;
}
