import assert from 'node:assert/strict';
import https from 'node:https';
import { Readable } from 'node:stream';
import MessageValidator from 'sns-validator';
import type { AppError } from '../../../../models/errors.js';
import type { CallbackEvent } from '../../../../models/rules/callbacks/callback.js';
import { readSesCallback } from '../../../../models/rules/callbacks/ses.js';
import { Sha1RefusedError } from '../../../../models/rules/callbacks/sns.js';
import { sesEvent } from '../../../support/carriers/ses.js';
import { createTopic, type Envelope, type SnsTopic, topicArn } from '../../../support/carriers/sns.js';

const snsBase = 'https://sns.eu-west-1.amazonaws.com';
const account = { name: 'ses', topicArn, snsBase, allowsSha1: false };
const messageId = '0190a5a8-0000-7000-8000-000000000001';

describe('the callback of SES', () => {
  let topic: SnsTopic;
  let asked: string[] = [];
  before(async () => {
    topic = await createTopic();
  });
  beforeEach(() => {
    asked = [];
  });
  const certificateAt = async (url: string) => {
    asked.push(url);
    return topic.certificate;
  };
  const readText = (text: string, allowsSha1 = false) =>
    readSesCallback({ ...account, allowsSha1 }, { body: Buffer.from(text), at: new Date() }, certificateAt);
  const read = (fields: Record<string, string>, changes: Record<string, string> = {}, version: '1' | '2' = '2') =>
    readText(JSON.stringify({ ...topic.envelope(snsBase, fields, version), ...changes }));
  const readEvent = (type: string, changes: object = {}) => read(sesEvent(type, 'ses-1', changes));
  const tagged = { mail: { messageId: 'ses-1', destination: ['ada@example.org'], tags: { message_id: [messageId] } } };

  it('a callback of SES is accepted with both signature versions of the official library', async () => {
    const original = https.get;
    // The library fetches the certificate itself.
    https.get = ((_url: string, callback: (response: unknown) => void) => {
      callback(Object.assign(Readable.from([topic.certificate]), { statusCode: 200 }));
      return new Readable();
    }) as unknown as typeof https.get;
    const verify = (envelope: Envelope) =>
      new Promise<boolean>((resolve) => new MessageValidator().validate({ ...envelope }, (error) => resolve(error === null)));
    try {
      for (const version of ['1', '2'] as const) {
        const envelope = topic.envelope(snsBase, { ...sesEvent('Delivery', 'ses-1'), Subject: 'Grüße' }, version);
        assert.equal(await verify(envelope), true);
        assert.equal(await verify({ ...envelope, Message: '{}' }), false);
        assert.equal((await readText(JSON.stringify(envelope), true)).length, 1);
      }
    } finally {
      https.get = original;
    }
  });

  it('a callback of SES signed with SHA-1 is refused unless that is allowed, with a cause of its own', async () => {
    const envelope = topic.envelope(snsBase, sesEvent('Delivery', 'ses-1'), '1');
    const causeOf = (text: string) =>
      readText(text).then(
        () => [],
        (error: AppError) => [error.code, error.cause instanceof Sha1RefusedError],
      );
    assert.deepEqual(await causeOf(JSON.stringify(envelope)), ['forbidden', true]);
    assert.deepEqual(await causeOf(JSON.stringify({ ...envelope, Message: '{}' })), ['forbidden', false]);
  });

  it('a status from SES has the id of our tag', async () => {
    const [event] = await read(sesEvent('Delivery', 'ses-1', { ...tagged, delivery: { timestamp: '2026-01-02T03:04:05.000Z' } }));
    assert.ok(event?.kind === 'report');
    const { raw: _, ...report } = event;
    assert.deepEqual(report, {
      kind: 'report',
      provider: 'ses',
      provider_message_id: 'ses-1',
      message_id: messageId,
      status: 'delivered',
      error_code: null,
      is_permanent: false,
      provider_error_code: null,
      occurred_at: new Date('2026-01-02T03:04:05Z'),
    });
    assert.equal((await read({ Message: JSON.stringify({ notificationType: 'Delivery', ...tagged }) })).length, 1);
    const [sent] = await readEvent('Send');
    assert.ok(sent?.kind === 'report' && sent.status === 'sent');
  });

  it('the notification with which SES checks its topic is accepted, and contains no event', async () => {
    assert.deepEqual(await read({ Message: 'Successfully validated SNS topic for Amazon SES event publishing.' }), []);
  });

  it('a callback of SES is refused if it is changed, old, of another topic or wrongly signed', async () => {
    const event = sesEvent('Delivery', 'ses-1');
    const other = await createTopic();
    for (const changes of [
      { Message: '{}' },
      { Signature: 'bm9uc2Vuc2U=' },
      { Signature: '' },
      { SignatureVersion: '3' },
      { SignatureVersion: '1' },
      { TopicArn: `${topicArn}-2` },
      { Timestamp: new Date(Date.now() - 26 * 3_600_000).toISOString() },
      { Type: 'SubscriptionConfirmation' },
    ]) {
      await assert.rejects(read(event, changes), { code: 'forbidden' }, JSON.stringify(changes));
    }
    await assert.rejects(read({ ...event, Timestamp: new Date(Date.now() - 26 * 3_600_000).toISOString() }), { code: 'forbidden' });
    await assert.rejects(read({ ...event, TopicArn: `${topicArn}-2` }), { code: 'forbidden' });
    await assert.rejects(readText(JSON.stringify(other.envelope(snsBase, event))), { code: 'forbidden' });
    for (const nothing of ['null', '{}', '[]', '7']) await assert.rejects(readText(nothing), { code: 'forbidden' });
    await assert.rejects(readText('{'), { code: 'validation_failed' });
  });

  it('a callback of SES is refused if a field of its signature is absent, or nested lists in place of a text', async () => {
    const envelope = { ...topic.envelope(snsBase, sesEvent('Delivery', 'ses-1'), '2') };
    const nested = '['.repeat(50_000) + ']'.repeat(50_000);
    for (const name of ['SignatureVersion', 'SigningCertURL', 'Signature', 'Timestamp', 'TopicArn']) {
      const others = JSON.stringify({ ...envelope, [name]: undefined });
      await assert.rejects(readText(others), { code: 'forbidden' }, name);
      await assert.rejects(readText(`${others.slice(0, -1)},"${name}":${nested}}`), { code: 'forbidden' }, name);
    }
    await assert.rejects(readText('null'), { code: 'forbidden' });
  });

  it('the callback of SES fetches certificates only from SNS', async () => {
    for (const place of [
      'https://evil.example/SimpleNotificationService-0a.pem',
      'http://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0a.pem',
      'https://sns.eu-west-1.amazonaws.com.evil.example/SimpleNotificationService-0a.pem',
      'https://sns.eu-west-1.amazonaws.com@evil.example/SimpleNotificationService-0a.pem',
      'https://sns.eu-west-1.amazonaws.com/bucket/SimpleNotificationService-0a.pem',
      'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0a.pem?x=.pem',
      'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0a.pem',
    ]) {
      await assert.rejects(read(sesEvent('Delivery', 'ses-1'), { SigningCertURL: place }), { code: 'forbidden' }, place);
    }
    assert.deepEqual(asked, []);
  });

  it('failures of SES are mapped to our codes', async () => {
    const codesOf = ([event]: CallbackEvent[]) =>
      event?.kind === 'report' && [event.status, event.error_code, event.is_permanent, event.provider_error_code].join(' ');
    const bounce = async (bounceType: string, bounceSubType: string) =>
      codesOf(await readEvent('Bounce', { bounce: { bounceType, bounceSubType } }));
    assert.equal(await bounce('Permanent', 'General'), 'failed 30008 true Permanent/General');
    assert.equal(await bounce('Transient', 'MailboxFull'), 'failed 30006 false Transient/MailboxFull');
    assert.equal(await bounce('Undetermined', 'Undetermined'), 'failed undeliverable false Undetermined/Undetermined');
    assert.equal(await bounce('Permanent', 'OnAccountSuppressionList'), 'failed suppressed true Permanent/OnAccountSuppressionList');
    assert.equal(codesOf(await readEvent('Reject', { reject: { reason: 'Bad content' } })), 'failed 30007 true Reject');
    assert.equal(codesOf(await readEvent('Bounce')), 'failed undeliverable false undefined/undefined');
  });

  it('an automatic reply, which SES reports as a bounce without a status, is no failure', async () => {
    const bounceOf = (...bouncedRecipients: object[]) =>
      readEvent('Bounce', { bounce: { bounceType: 'Transient', bounceSubType: 'General', bouncedRecipients } });
    const emailAddress = 'ada@example.org';
    assert.deepEqual(await bounceOf({ emailAddress }), []);
    for (const told of [{ status: '4.4.7' }, { diagnosticCode: 'smtp; 550 4.4.7 message expired' }, { action: 'failed' }]) {
      const [event] = await bounceOf({ emailAddress, ...told });
      assert.deepEqual(event?.kind === 'report' && [event.status, event.error_code], ['failed', '30006'], JSON.stringify(told));
    }
    assert.equal((await bounceOf()).length, 1);
  });

  it('other events of SES are ignored', async () => {
    for (const type of ['DeliveryDelay', 'Open', 'Click', 'constructor']) assert.deepEqual(await readEvent(type), []);
    for (const Message of ['null', '{}', '{"mail":{}}']) assert.deepEqual(await read({ Message }), []);
  });

  it('the callback of SES confirms a subscription only at SNS', async () => {
    const ask = (SubscribeURL: string) =>
      read({ Type: 'SubscriptionConfirmation', Message: 'You have chosen …', Token: 'token', SubscribeURL });
    const url = `${snsBase}/?Action=ConfirmSubscription&TopicArn=${topicArn}&Token=token`;
    assert.deepEqual(await ask(url), [{ kind: 'confirmation', url }]);
    for (const other of [
      'https://evil.example/?Action=ConfirmSubscription',
      `${snsBase}/?Action=DeleteTopic`,
      `${snsBase}.evil.example/?Action=ConfirmSubscription`,
    ]) {
      await assert.rejects(ask(other), { code: 'forbidden' }, other);
    }
  });
});
