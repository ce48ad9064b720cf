/** Amazon SES, API version 2. https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html */
import { AwsV4Signer } from 'aws4fetch';
import type { AccountOf } from '../../../models/rules/routing/provider-kinds.js';
import { sesFailures } from '../../../models/rules/failures/ses.js';
import { httpClient, type ProviderAnswer, socketsMax } from './http-client.js';
import { asciiSender, headersOf, subjectOf } from './mail.js';
import { askCredentials, outcomeOfCode, sendOver, taken, throttled } from './outcomes.js';
import type { OutgoingMessage, Provider, SendOutcome } from './provider.js';

const path = '/v2/email/outbound-emails';
const accountPath = '/v2/email/account';
const later = /^(?:TooManyRequests|LimitExceeded|Throttling)(?:Exception)?$/;
/** The account may not send now, or its keys are wrong. The message is not at fault. */
const paused =
  /^(?:SendingPaused|AccountSuspended|UnrecognizedClient|InvalidSignature|SignatureDoesNotMatch|ExpiredToken|AccessDenied)(?:Exception)?$/;

/** SES has no idempotency keys and no status query. Its events contain our id as a tag. */
export function sesAdapter(account: AccountOf<'ses'>): Provider {
  const { apiBase, region, accessKeyId, secretAccessKey, sessionToken } = account;
  const client = httpClient(apiBase);
  const cache = new Map<string, ArrayBuffer>(); // the signing key of the day
  const signed = async (body?: string, url = apiBase + path) => {
    const headers = { 'Content-Type': 'application/json' };
    const request = { url, headers, ...(body === undefined ? { method: 'GET' } : { method: 'POST', body }) };
    const keys = { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
    const signer = new AwsV4Signer({ ...request, ...keys, service: 'ses', region, cache });
    return Object.fromEntries((await signer.sign()).headers);
  };
  return {
    name: account.name,
    idempotent: false,
    connectionsMax: socketsMax,

    async send(message: OutgoingMessage, signal: AbortSignal): Promise<SendOutcome> {
      const body = JSON.stringify(bodyOf(account, message));
      return sendOver(client, { method: 'POST', path, headers: await signed(body), body }, signal, outcomeOf);
    },

    // The account. https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_GetAccount.html
    checkCredentials: async (signal) =>
      askCredentials(client, { path: accountPath, headers: await signed(undefined, apiBase + accountPath) }, signal),
  };
}

function bodyOf({ from, configurationSet }: AccountOf<'ses'>, { id, to, content, headers }: OutgoingMessage): object {
  const part = (Data: string) => ({ Data, Charset: 'UTF-8' });
  return {
    FromEmailAddress: asciiSender(from),
    Destination: { ToAddresses: [to] },
    Content: {
      Simple: {
        Subject: part(subjectOf(content)),
        Body: { Text: part(content.text), ...(content.html === undefined ? {} : { Html: part(content.html) }) },
        ...headersOf(headers),
      },
    },
    EmailTags: [{ Name: 'message_id', Value: id }],
    ...(configurationSet === undefined ? {} : { ConfigurationSetName: configurationSet }),
  };
}

function outcomeOf(answer: ProviderAnswer): SendOutcome {
  const { status, json } = answer;
  if (status === 200) return taken(json.MessageId);
  const type = typeOf(answer);
  if (later.test(type)) return throttled(answer, type);
  if (paused.test(type)) return { outcome: 'retryable', detail: type };
  return outcomeOfCode(answer, 'email', sesFailures, type === '' ? String(status) : type);
}

/** In the header as `MessageRejected` or `MessageRejected:http://internal.amazon.com/…`, or in the body as `ns#MessageRejected`. */
function typeOf({ headers, json }: ProviderAnswer): string {
  const type = String(headers['x-amzn-errortype'] ?? json.__type ?? json.code ?? '').replaceAll(/:.*$|^.*#/g, '');
  return type === 'MessageRejected' && /not verified/i.test(String(json.message)) ? 'NotVerified' : type;
}
