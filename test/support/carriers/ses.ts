/** Amazon SES: accepts requests with a valid AWS signature, and posts events through SNS. */
import { createHash, createHmac, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type Counterpart, post, reply, startCounterpart, type Taken } from './counterpart.js';
import { createTopic, type SnsTopic, topicArn } from './sns.js';

interface Mail {
  FromEmailAddress?: string;
  Destination?: { ToAddresses?: string[] };
  Content?: { Simple?: { Subject?: { Data: string }; Body?: { Text?: { Data: string }; Html?: { Data: string } }; Headers?: object[] } };
  EmailTags?: { Name: string; Value: string }[];
  ConfigurationSetName?: string;
}

export interface SesCounterpart extends Counterpart {
  topic: SnsTopic;
  taken: { id: string; mail: Mail }[];
  /** Whether the subscription is confirmed. */
  isConfirmed: boolean;
  /** How often the certificate was fetched. */
  certificates: number;
  /** May answer a request for a message. @returns true: the request is handled */
  interfere: (response: ServerResponse, request: Taken) => boolean;
  /** Posts an SNS envelope. @returns the status of the response */
  tell(callbackUrl: string, fields: Record<string, string>, changes?: Record<string, string>): Promise<number>;
}

export const sesAccount = { region: 'eu-west-1', accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCY' };
export const sesEnv = ({ url }: Pick<Counterpart, 'url'>): Record<string, string> => ({
  PROVIDER_EMAIL: 'ses',
  EMAIL_FROM: 'Example <hello@example.test>',
  SES_REGION: sesAccount.region,
  SES_ACCESS_KEY_ID: sesAccount.accessKeyId,
  SES_SECRET_ACCESS_KEY: sesAccount.secretAccessKey,
  SES_TOPIC_ARN: topicArn,
  SES_CONFIGURATION_SET: 'tidings',
  SES_API_BASE: url,
  SES_SNS_BASE: url,
});

/** An error response in the format of SES. */
export const refuse = (response: ServerResponse, status: number, type: string, message = 'Refused'): true =>
  reply(response, status, { message }, { 'x-amzn-ErrorType': `${type}:http://internal.amazon.com/coral/com.amazonaws.ses/` });

/** The event of an e-mail in an SNS notification. */
export const sesEvent = (eventType: string, id: string, changes: object = {}): Record<string, string> => ({
  Message: JSON.stringify({
    eventType,
    mail: { timestamp: '2026-01-02T03:00:00.000Z', messageId: id, source: 'hello@example.test', destination: ['ada@example.org'] },
    ...changes,
  }),
});

export async function startSes(): Promise<SesCounterpart> {
  const topic = await createTopic();
  const counterpart: SesCounterpart = {
    ...(await startCounterpart(answer)),
    topic,
    taken: [],
    isConfirmed: false,
    certificates: 0,
    interfere: () => false,
    tell: (callbackUrl, fields, changes = {}) =>
      post(callbackUrl, JSON.stringify({ ...topic.envelope(counterpart.url, fields), ...changes }), { 'Content-Type': 'text/plain' }),
  };

  function answer(request: Taken, response: ServerResponse) {
    const { pathname, searchParams } = new URL(request.path, counterpart.url);
    if (request.method === 'GET' && pathname === topic.certificatePath) {
      counterpart.certificates += 1;
      return response.end(topic.certificate);
    }
    if (searchParams.get('Action') === 'ConfirmSubscription') {
      counterpart.isConfirmed = searchParams.get('Token') === topic.token;
      return response.end('<ConfirmSubscriptionResponse/>');
    }
    if (!isSigned(request)) return refuse(response, 403, 'SignatureDoesNotMatch');
    if (request.method !== 'POST' || pathname !== '/v2/email/outbound-emails') return refuse(response, 404, 'UnknownOperationException');
    if (counterpart.interfere(response, request)) return;
    const mail: Mail = JSON.parse(request.body);
    if (!isMail(mail)) return refuse(response, 400, 'BadRequestException');
    const id = `0102${randomUUID()}-000000`;
    counterpart.taken.push({ id, mail });
    return reply(response, 200, { MessageId: id });
  }
  return counterpart;
}

const isMail = ({ FromEmailAddress, Destination, Content, EmailTags = [] }: Mail) =>
  FromEmailAddress !== undefined &&
  Destination?.ToAddresses?.length === 1 &&
  Content?.Simple?.Subject !== undefined &&
  Content.Simple.Body?.Text !== undefined &&
  EmailTags.every(({ Name, Value }) => [Name, Value].every((each) => /^[A-Za-z0-9_-]{1,256}$/.test(each)));

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/** Verifies AWS Signature Version 4. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html */
function isSigned({ method, path, headers, body }: Taken): boolean {
  const pattern =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/ses\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;
  const [, keyId, day = '', region = '', names = '', signature] = pattern.exec(headers.authorization ?? '') ?? [];
  const time = String(headers['x-amz-date']);
  if (keyId !== sesAccount.accessKeyId || region !== sesAccount.region || !time.startsWith(day)) return false;
  const canonical = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const request = [method, path, '', canonical.join(''), names, sha256(body)].join('\n');
  const text = ['AWS4-HMAC-SHA256', time, `${day}/${region}/ses/aws4_request`, sha256(request)].join('\n');
  const key = [day, region, 'ses', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${sesAccount.secretAccessKey}`);
  return hmac(key, text).toString('hex') === signature;
}
