import assert from 'node:assert/strict';
import { isHardBounce } from '../../../../models/rules/contacts/suppression.js';
import type { CallbackEvent } from '../../../../models/rules/callbacks/callback.js';
import { readSesCallback } from '../../../../models/rules/callbacks/ses.js';
import { sesEvent } from '../../../support/carriers/ses.js';
import { createTopic, type SnsTopic, topicArn } from '../../../support/carriers/sns.js';

const snsBase = 'https://sns.eu-west-1.amazonaws.com';
const messageId = '0190a5a8-0000-7000-8000-000000000001';

describe('opt requests in callbacks of SES', () => {
  let topic: SnsTopic;
  before(async () => {
    topic = await createTopic();
  });
  const readEvent = (type: string, changes: object = {}) => {
    const body = Buffer.from(JSON.stringify(topic.envelope(snsBase, sesEvent(type, 'ses-1', changes), '2')));
    return readSesCallback({ name: 'ses', topicArn, snsBase, allowsSha1: false }, { body, at: new Date() }, async () => topic.certificate);
  };
  const preferences = (unsubscribeAll: boolean, was?: boolean, timestamp?: string) => ({
    subscription: { timestamp, newTopicPreferences: { unsubscribeAll }, oldTopicPreferences: { unsubscribeAll: was } },
  });
  const tagged = { mail: { messageId: 'ses-1', destination: ['ada@example.org'], tags: { message_id: [messageId] } } };

  it('a complaint or an unsubscription at SES is an opt-out', async () => {
    const optOutOf = ([event]: CallbackEvent[]) => event?.kind === 'opt_out' && `${event.reason} ${event.recipient}`;
    const complaint = await readEvent('Complaint', { complaint: { timestamp: '2026-01-02T03:04:05Z' } });
    assert.equal(optOutOf(complaint), 'complaint ada@example.org');
    assert.equal(optOutOf(await readEvent('Subscription', preferences(true))), 'unsubscribed ada@example.org');
  });

  it('a recipient who subscribes again at SES ends the opt-out, and one who changes topics does not', async () => {
    const timestamp = '2026-01-02T03:04:05.000Z';
    const [optIn] = await readEvent('Subscription', { ...tagged, ...preferences(false, true, timestamp) });
    assert.ok(optIn?.kind === 'opt_in');
    assert.deepEqual([optIn.recipient, optIn.message_id, optIn.occurred_at], ['ada@example.org', messageId, new Date(timestamp)]);
    for (const was of [false, undefined]) assert.deepEqual(await readEvent('Subscription', preferences(false, was)), []);
  });

  it('a mail that SES did not send because of an earlier opt-out is a failure and an opt-out, and no bounce', async () => {
    const textsOf = (events: CallbackEvent[]) =>
      events.map((event) => {
        if (event.kind === 'opt_out') return `${event.reason} ${event.recipient} ${event.occurred_at?.toISOString()}`;
        if (event.kind !== 'report') return event.kind;
        return `${event.error_code} ${event.provider_error_code} ${isHardBounce({ ...event, channel: 'email' })}`;
      });
    const timestamp = '2026-01-02T03:04:05.000Z';
    const complaint = { complaint: { complaintSubType: 'OnAccountSuppressionList', timestamp } };
    assert.deepEqual(textsOf(await readEvent('Complaint', complaint)), [
      'suppressed Complaint/OnAccountSuppressionList false',
      `complaint ada@example.org ${timestamp}`,
    ]);
    const bounce = { bounce: { bounceType: 'Permanent', bounceSubType: 'UnsubscribedRecipient', timestamp } };
    assert.deepEqual(textsOf(await readEvent('Bounce', bounce)), [
      'suppressed Permanent/UnsubscribedRecipient false',
      `unsubscribed ada@example.org ${timestamp}`,
    ]);
  });

  it('a recipient who tells SES that the mail is not spam has not opted out', async () =>
    assert.deepEqual(await readEvent('Complaint', { complaint: { complaintFeedbackType: 'not-spam' } }), []));
});
