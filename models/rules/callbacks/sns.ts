/** The envelope in which Amazon SNS posts notifications, and its signature. https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html */
import { createPublicKey, verify } from 'node:crypto';
import { invalidCallbackSignature } from '../../errors.js';
import { type Json, momentOf } from './json-body.js';

/** Fetches the certificate at a URL. Only called with URLs of SNS. */
export type CertificateAt = (url: string) => Promise<string>;

/** SNS repeats a request for an hour at most. Its dead-letter queue keeps it longer, with the same signature. An older one is a replay. */
const replayWindowMs = 25 * 3_600_000;

const inNotification = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'];
const inConfirmation = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];

const signing = ['SignatureVersion', 'SigningCertURL', 'Signature', 'Timestamp', 'TopicArn'];

const digests: Readonly<Record<string, string>> = { '1': 'RSA-SHA1', '2': 'RSA-SHA256' };

/** The cause of the refusal of an envelope that SNS signed, but with SHA-1. */
export class Sha1RefusedError extends Error {}

/** What an account states about the SNS that it trusts. `snsBase`: scheme, host and port, because anybody can publish a certificate. */
export interface Topic {
  topicArn: string;
  snsBase: string;
  allowsSha1: boolean;
}

/**
 * Verifies an envelope of our topic.
 * @throws AppError forbidden if the topic or the place of the certificate is another one, the envelope is too old, or the signature is
 *   wrong; with a `Sha1RefusedError` as its cause if only the digest of the signature is refused
 */
export async function verifyEnvelope(
  envelope: Json,
  { topicArn, snsBase, allowsSha1 }: Topic,
  at: Date,
  certificateAt: CertificateAt,
): Promise<void> {
  // All are texts. Lists can be nested too deep for `String`.
  if (signing.some((name) => typeof envelope?.[name] !== 'string')) throw invalidCallbackSignature();
  const digest = Object.hasOwn(digests, envelope.SignatureVersion) ? digests[envelope.SignatureVersion] : undefined;
  const place = certificatePlace(envelope.SigningCertURL, snsBase);
  if (digest === undefined || place === null || envelope.TopicArn !== topicArn) throw invalidCallbackSignature();
  const sentAt = momentOf(envelope.Timestamp, new Date(0));
  if (Math.abs(at.getTime() - sentAt.getTime()) > replayWindowMs) throw invalidCallbackSignature();
  const key = createPublicKey(await certificateAt(place));
  if (!verify(digest, Buffer.from(signedText(envelope)), key, Buffer.from(envelope.Signature, 'base64'))) throw invalidCallbackSignature();
  if (digest === digests['1'] && !allowsSha1) throw invalidCallbackSignature(new Sha1RefusedError());
}

/** The URL of the certificate if it is one of SNS, otherwise null. */
const certificatePlace = (url: unknown, snsBase: string): string | null =>
  typeof url === 'string' && url.startsWith(snsBase) && /^\/SimpleNotificationService-[0-9a-f]{1,64}\.pem$/.test(url.slice(snsBase.length))
    ? url
    : null;

/** Whether a URL confirms a subscription at SNS. */
export const isConfirmation = (url: unknown, snsBase: string): url is string =>
  typeof url === 'string' && url.startsWith(`${snsBase}/?`) && new URL(url).searchParams.get('Action') === 'ConfirmSubscription';

function signedText(envelope: Json): string {
  const names = envelope.Type === 'Notification' ? inNotification : inConfirmation;
  return names.flatMap((name) => (typeof envelope[name] === 'string' ? [name, '\n', envelope[name], '\n'] : [])).join('');
}
