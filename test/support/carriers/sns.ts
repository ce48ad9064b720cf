/** Amazon SNS for one topic: signs envelopes, serves its certificate, and waits for the confirmation of the subscription. */
import { randomBytes, randomUUID, sign } from 'node:crypto';
import { generate } from 'selfsigned';

export const topicArn = 'arn:aws:sns:eu-west-1:123456789012:tidings-events';

export interface Envelope extends Record<string, string> {
  Type: string;
  SigningCertURL: string;
  Signature: string;
}

export interface SnsTopic {
  /** The certificate as PEM. */
  certificate: string;
  certificatePath: string;
  /** A call of the `SubscribeURL` with this token confirms the subscription. */
  token: string;
  /** A signed envelope. @param base scheme, host and port of this SNS */
  envelope(base: string, fields: Record<string, string>, version?: '1' | '2'): Envelope;
}

export async function createTopic(): Promise<SnsTopic> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'sns.amazonaws.com' }], { keySize: 2048 });
  const certificatePath = `/SimpleNotificationService-${randomBytes(16).toString('hex')}.pem`;
  const token = randomBytes(32).toString('hex');
  return {
    certificate: cert,
    certificatePath,
    token,
    envelope(base, fields, version = '2') {
      const envelope = {
        Type: 'Notification',
        MessageId: randomUUID(),
        TopicArn: topicArn,
        Timestamp: new Date().toISOString(),
        ...fields,
      };
      const text = Object.entries(envelope)
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, value]) => `${name}\n${value}\n`)
        .join('');
      const Signature = sign(version === '1' ? 'RSA-SHA1' : 'RSA-SHA256', Buffer.from(text), key).toString('base64');
      return { ...envelope, SignatureVersion: version, Signature, SigningCertURL: base + certificatePath };
    },
  };
}
