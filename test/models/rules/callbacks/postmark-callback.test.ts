import assert from 'node:assert/strict';
import type { Models } from 'postmark';
import { isPostmark, readPostmarkCallback } from '../../../../models/rules/callbacks/postmark.js';

const account = { name: 'postmark', callbackPassword: 'password-of-the-tests' };
const messageId = '0190a5a8-0000-7000-8000-000000000001';
const at = new Date('2026-01-02T03:04:05Z');
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

const read = (event: object | string, authorization: string | undefined = basic(`any:${account.callbackPassword}`)) =>
  readPostmarkCallback(account, {
    headers: { authorization },
    body: Buffer.from(typeof event === 'string' ? event : JSON.stringify(event)),
    at,
  });

const common = { MessageID: 'PM1', MessageStream: 'outbound', ServerID: 23, Metadata: { message_id: messageId } };
const delivery = (): Models.DeliveryWebhook => ({
  ...common,
  RecordType: 'Delivery',
  Recipient: 'ada@example.org',
  DeliveredAt: '2026-01-02T03:00:00.0000000-05:00',
  Details: 'smtp;250 OK',
});
const bounce = (Type: string, changes: Partial<Models.BounceWebhook> = {}): Models.BounceWebhook => ({
  ...common,
  RecordType: 'Bounce',
  ID: 42,
  Type,
  TypeCode: 1,
  Name: Type,
  Description: 'It bounced',
  Details: 'smtp;550 5.1.1 no such user',
  Email: 'ada@example.org',
  From: 'hello@example.test',
  BouncedAt: '2026-01-02T03:00:00Z',
  DumpAvailable: true,
  Inactive: true,
  CanActivate: true,
  Subject: 'News',
  ...changes,
});

const change = {
  ...common,
  RecordType: 'SubscriptionChange',
  ChangedAt: '2026-01-02T03:00:00Z',
  Recipient: 'ada@example.org',
  Origin: 'Recipient',
  SuppressSending: true,
  SuppressionReason: 'ManualSuppression',
} satisfies Models.SubscriptionChangeWebhook;
/** What the official types do not know: both are null for a reactivation. */
const reactivation = { ...change, SuppressSending: false, MessageID: null, SuppressionReason: null, Metadata: {} };

describe('the callback of Postmark', () => {
  it('a callback of Postmark is accepted with its password and any user name', () => {
    const [event] = read(delivery());
    assert.ok(event?.kind === 'report');
    const { raw, ...report } = event;
    assert.deepEqual(report, {
      kind: 'report',
      provider: 'postmark',
      provider_message_id: 'PM1',
      message_id: messageId,
      status: 'delivered',
      error_code: null,
      is_permanent: false,
      provider_error_code: null,
      occurred_at: new Date('2026-01-02T08:00:00Z'),
    });
    assert.deepEqual(JSON.parse(raw), delivery());
    assert.equal(read(delivery(), basic(`:${account.callbackPassword}`)).length, 1);
  });

  it('a callback of Postmark is refused without the exact password', () => {
    const others = [
      '',
      account.callbackPassword,
      'any:',
      'any:other',
      `any:${account.callbackPassword}x`,
      `any:x:${account.callbackPassword}`,
    ];
    for (const other of others) assert.throws(() => read(delivery(), basic(other)), { code: 'forbidden' }, other);
    assert.throws(() => read(delivery(), `Bearer ${account.callbackPassword}`), { code: 'forbidden' });
    assert.throws(() => readPostmarkCallback(account, { headers: {}, body: Buffer.from('{}'), at }), { code: 'forbidden' });
  });

  it('a callback of Postmark is accepted with the former password too', () => {
    const rotated = { name: 'postmark', callbackPassword: 'the new password', oldCallbackPassword: account.callbackPassword };
    const headers = { authorization: basic(`any:${account.callbackPassword}`) };
    assert.equal(isPostmark(rotated, headers), true);
    assert.equal(readPostmarkCallback(rotated, { headers, body: Buffer.from(JSON.stringify(delivery())), at }).length, 1);
    assert.equal(isPostmark({ ...rotated, oldCallbackPassword: undefined }, headers), false);
  });

  it('the callback of Postmark maps bounces to our codes, and ignores delays and replies', () => {
    const failures = ['HardBounce', 'SoftBounce', 'SpamNotification', 'ManuallyDeactivated', 'Unknown', 'constructor'].map((type) => {
      const [event] = read(bounce(type));
      return event?.kind === 'report' ? [event.provider_error_code, event.error_code, event.is_permanent] : [];
    });
    assert.deepEqual(failures, [
      ['HardBounce', '30008', true],
      ['SoftBounce', '30006', false],
      ['SpamNotification', '30007', false],
      ['ManuallyDeactivated', 'suppressed', true],
      ['Unknown', 'undeliverable', false],
      ['constructor', 'undeliverable', false],
    ]);
    for (const type of ['Transient', 'AutoResponder', 'AddressChange', 'Subscribe']) assert.deepEqual(read(bounce(type)), []);
  });

  it('a complaint or an unsubscription at Postmark is an opt-out', () => {
    const complaint = { ...bounce('SpamComplaint'), RecordType: 'SpamComplaint' };
    for (const [event, reason] of [
      [complaint, 'complaint'],
      [change, 'unsubscribed'],
      [bounce('Unsubscribe'), 'unsubscribed'],
    ] as const) {
      const [optOut] = read(event);
      assert.ok(optOut?.kind === 'opt_out');
      assert.deepEqual([optOut.reason, optOut.recipient, optOut.message_id], [reason, 'ada@example.org', messageId]);
    }
    assert.deepEqual(read({ ...change, SuppressionReason: 'HardBounce' }), []);
  });

  it('an opt-out that names no message is one of the person, and a report that names none is ignored', () => {
    const events = [change, bounce('Unsubscribe'), { ...bounce('SpamComplaint'), RecordType: 'SpamComplaint' }].map((event) => {
      const [optOut] = read({ ...event, MessageID: null, Metadata: {} });
      return optOut?.kind === 'opt_out' && [optOut.recipient, optOut.message_id, optOut.provider_message_id];
    });
    assert.deepEqual(
      events,
      [1, 2, 3].map(() => ['ada@example.org', null, null]),
    );
    assert.deepEqual(
      [delivery(), bounce('HardBounce')].flatMap((event) => read({ ...event, MessageID: null })),
      [],
    );
  });

  it('a reactivation by the recipient ends the opt-out, and one by the owner of the account does not', () => {
    const [optIn] = read(reactivation);
    assert.ok(optIn?.kind === 'opt_in');
    assert.deepEqual(
      [optIn.recipient, optIn.provider_message_id, optIn.occurred_at],
      ['ada@example.org', null, new Date(change.ChangedAt)],
    );
    const [ofMail] = read({ ...reactivation, MessageID: 'PM1', Metadata: { message_id: messageId } });
    assert.ok(ofMail?.kind === 'opt_in');
    assert.deepEqual([ofMail.message_id, ofMail.provider_message_id], [null, null], 'it is for every workspace');
    for (const Origin of ['Customer', 'Admin']) assert.deepEqual(read({ ...reactivation, Origin }), []);
  });

  it('the callback of Postmark ignores other events, and is 400 without JSON', () => {
    for (const event of [{ ...delivery(), RecordType: 'Open' }, { ...delivery(), MessageID: '' }, {}, [], 'null', '7']) {
      assert.deepEqual(read(event), []);
    }
    assert.throws(() => read('{'), { code: 'validation_failed' });
  });
});
