import assert from 'node:assert/strict';
import { SESv2Client, SendEmailCommand, TooManyRequestsException } from '@aws-sdk/client-sesv2';
import { sesAdapter } from '../../../../activities/handoff/providers/ses.js';
import { drop, reply } from '../../../support/carriers/counterpart.js';
import { never, outgoingMail } from '../../../support/carriers/outgoing.js';
import { refuse, type SesCounterpart, sesAccount, startSes } from '../../../support/carriers/ses.js';
import { topicArn } from '../../../support/carriers/sns.js';

const from = 'Example <hello@example.test>';

describe('the SES provider', () => {
  let counterpart: SesCounterpart;
  beforeEach(async () => {
    counterpart = await startSes();
  });
  afterEach(() => counterpart.close());
  const adapter = (given: { secretAccessKey?: string; sessionToken?: string; from?: string } = {}) =>
    sesAdapter({
      name: 'ses',
      kind: 'ses',
      apiBase: counterpart.url,
      snsBase: counterpart.url,
      configurationSet: 'tidings',
      topicArn,
      allowsSha1: false,
      sessionToken: undefined,
      from,
      ...sesAccount,
      ...given,
    });
  const refused = async (status: number, type: string, message?: string) => {
    counterpart.interfere = (response) => refuse(response, status, type, message);
    return adapter().send(outgoingMail(), never);
  };

  it('the SES provider signs the token of temporary keys', async () => {
    let token: unknown;
    counterpart.interfere = (response, { headers }) => {
      token = /SignedHeaders=[^,]*x-amz-security-token/.test(headers.authorization ?? '') && headers['x-amz-security-token'];
      return reply(response, 200, { MessageId: 'm-1' });
    };
    assert.equal((await adapter({ sessionToken: 'of-an-hour' }).send(outgoingMail(), never)).outcome, 'accepted');
    assert.equal(token, 'of-an-hour');
  });

  it('the SES provider sends the same signed request as the official client', async () => {
    const { accessKeyId, secretAccessKey, region } = sesAccount;
    const official = new SESv2Client({ endpoint: counterpart.url, region, credentials: { accessKeyId, secretAccessKey }, maxAttempts: 1 });
    const message = outgoingMail({
      content: { text: 'Grüße', html: '<p>Grüße</p>', subject: 'Für Ada' },
      headers: { 'List-Unsubscribe': '<https://tidings.example/u>' },
    });
    const part = (Data: string) => ({ Data, Charset: 'UTF-8' });
    const command = new SendEmailCommand({
      FromEmailAddress: from,
      Destination: { ToAddresses: [message.to] },
      Content: {
        Simple: {
          Subject: part('Für Ada'),
          Body: { Text: part('Grüße'), Html: part('<p>Grüße</p>') },
          Headers: [{ Name: 'List-Unsubscribe', Value: '<https://tidings.example/u>' }],
        },
      },
      EmailTags: [{ Name: 'message_id', Value: message.id }],
      ConfigurationSetName: 'tidings',
    });
    const theirs = await official.send(command);
    const ours = await adapter().send(message, never);
    const [first, second] = counterpart.taken;
    assert.deepEqual(second?.mail, first?.mail);
    assert.equal(theirs.MessageId, first?.id);
    assert.deepEqual(ours, { outcome: 'accepted', provider_message_id: second?.id });
    counterpart.interfere = (response) => refuse(response, 429, 'TooManyRequestsException');
    await assert.rejects(official.send(command), TooManyRequestsException);
    official.destroy();
  });

  it('the SES provider encodes a sender name that is not ASCII, because SES takes no other', async () => {
    const senderOf = async (given: string) => {
      assert.equal((await adapter({ from: given }).send(outgoingMail(), never)).outcome, 'accepted');
      return counterpart.taken.at(-1)?.mail.FromEmailAddress ?? '';
    };
    assert.equal(await senderOf('hello@example.test'), 'hello@example.test');
    assert.equal(await senderOf('Müller <hello@example.test>'), '=?UTF-8?B?TcO8bGxlcg==?= <hello@example.test>');
    const long = 'Ж'.repeat(40);
    const sender = await senderOf(`${long} <hello@example.test>`);
    assert.match(sender, /^(?:=\?UTF-8\?B\?[A-Za-z0-9+/=]{1,63}\?= )+<hello@example\.test>$/);
    const words = [...sender.matchAll(/\?B\?([^?]+)\?=/g)].map(([, word = '']) => Buffer.from(word, 'base64').toString('utf8'));
    assert.equal(words.join(''), long);
  });

  it('the SES provider maps refusals to our codes, and keeps its own', async () => {
    const expected: [type: string, message: string, ours: string, theirs: string][] = [
      ['MessageRejected', 'Virus found', '30007', 'MessageRejected'],
      ['MessageRejected', 'Email address is not verified.', 'sender_refused', 'NotVerified'],
      ['BadRequestException', 'Refused', 'invalid_content', 'BadRequestException'],
      ['SomethingNewException', 'Refused', 'undeliverable', 'SomethingNewException'],
    ];
    for (const [type, message, ours, theirs] of expected) {
      const outcome = await refused(400, type, message);
      assert.ok(outcome.outcome === 'rejected');
      assert.deepEqual([outcome.error_code, outcome.provider_error_code], [ours, theirs]);
    }
  });

  it('the SES provider holds or retries when the message is not at fault', async () => {
    assert.deepEqual(await refused(429, 'TooManyRequestsException'), { outcome: 'throttled', detail: 'TooManyRequestsException' });
    assert.deepEqual(await refused(400, 'SendingPausedException'), { outcome: 'retryable', detail: 'SendingPausedException' });
    const wrong = await adapter({ secretAccessKey: 'wrong' }).send(outgoingMail(), never);
    assert.deepEqual(wrong, { outcome: 'retryable', detail: 'SignatureDoesNotMatch' });
  });

  it('the SES provider returns unknown for a lost answer or one without an id', async () => {
    counterpart.interfere = (response) => drop(response);
    assert.equal((await adapter().send(outgoingMail(), never)).outcome, 'unknown');
    counterpart.interfere = (response) => reply(response, 200, {});
    assert.deepEqual(await adapter().send(outgoingMail(), never), { outcome: 'unknown', detail: 'response without an id' });
    assert.equal((await refused(500, 'InternalFailure')).outcome, 'unknown');
    assert.equal(adapter().fetchStatus, undefined);
  });
});
