import assert from 'node:assert/strict';
import { waitingFor } from '../../../../models/rules/messages/waiting.js';

type Circumstances = Parameters<typeof waitingFor>[0];

const limits = { handoffTimeoutSeconds: 100, reportTimeoutSeconds: 1_000, unknownHandoffSeconds: 120, repeatable: ['postmark'] };
const now = new Date('2026-01-01T00:00:00Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1_000);
const pendingEvent = { status: 'pending' as const, delivery_id: 'd', next_attempt_at: later(7) };

const circumstances = (message: Partial<Circumstances['message']>, rest: Partial<Omit<Circumstances, 'message'>> = {}): Circumstances => ({
  message: {
    status: 'queued',
    status_detail: 'accepted',
    scheduled_at: null,
    created_at: now,
    sent_at: null,
    channel: 'sms',
    provider: 'twilio',
    expires_at: null,
    ...message,
  },
  batchStatus: null,
  pace: null,
  attempts: [],
  chain: null,
  events: [],
  ...rest,
});
const waits = (...args: Parameters<typeof circumstances>) => {
  const waiting = waitingFor(circumstances(...args), limits, now);
  return waiting === null ? null : [waiting.what, waiting.until];
};

describe('what a message waits for', () => {
  it('a sent message waits for its report', () => {
    assert.deepEqual(waits({ status: 'sent', status_detail: 'awaiting_report', sent_at: later(5) }), ['report', later(1_005)]);
  });

  it('a message waits for nothing after the wait for its report has ended', () => {
    assert.equal(waits({ status: 'sent', status_detail: 'unknown', sent_at: now }), null);
  });

  it('a message that has ended waits for its webhook delivery', () => {
    const sent = { status: 'sent', status_detail: 'unknown', sent_at: now } as const;
    assert.deepEqual(waits(sent, { events: [pendingEvent] }), ['webhook_delivery', later(7)]);
    assert.equal(waits({ status: 'delivered', status_detail: 'delivered' }, { events: [{ ...pendingEvent, status: 'succeeded' }] }), null);
    assert.equal(waits({ status: 'delivered', status_detail: 'delivered' }, { events: [{ ...pendingEvent, delivery_id: null }] }), null);
  });

  it('a message waits for the answer of the provider only during the call', () => {
    const open = { outcome: null, provider: 'twilio', started_at: now, give_up_at: null } as const;
    assert.deepEqual(waits({ status_detail: 'sending' }, { attempts: [open] }), ['provider_answer', later(10)]);
    const mailed = waits({ status_detail: 'sending', channel: 'email' }, { attempts: [{ ...open, provider: 'smtp' }] });
    assert.deepEqual(mailed, ['provider_answer', later(40)]);
    assert.deepEqual(waits({ status_detail: 'accepted' }, { attempts: [{ ...open, outcome: 'retryable' }] }), ['next_attempt', later(100)]);
  });

  it('a message waits for a report after a call with a lost answer', () => {
    const lost = { outcome: null, provider: 'twilio', started_at: later(-11), give_up_at: null } as const;
    const sending = { status_detail: 'sending' } as const;
    assert.deepEqual(waits(sending, { attempts: [lost] }), ['report', later(109)]);
    assert.deepEqual(waits(sending, { attempts: [{ ...lost, outcome: 'unknown' }] }), ['report', later(109)]);
    const refused = { outcome: 'retryable', provider: 'twilio', started_at: now, give_up_at: null } as const;
    assert.deepEqual(waits(sending, { attempts: [lost, refused] }), ['report', later(109)]);
  });

  it('a message with a lost answer waits until its hand-off is given up, which a recovery delays', () => {
    const lost = { outcome: 'unknown', provider: 'twilio', started_at: later(-7_200), give_up_at: null } as const;
    const attempts = [lost, { ...lost, give_up_at: later(900) }, { ...lost, give_up_at: later(600) }];
    assert.deepEqual(waits({ status_detail: 'sending' }, { attempts }), ['report', later(900)]);
  });

  it('a message with a lost answer waits for the next attempt where each account can be asked again', () => {
    const lost = { outcome: 'unknown', provider: 'postmark', started_at: later(-50), give_up_at: null } as const;
    const sending = { status_detail: 'sending', created_at: later(-60) } as const;
    assert.deepEqual(waits(sending, { attempts: [lost] }), ['next_attempt', later(70)], 'it is given up after both times');
    assert.deepEqual(waits({ ...sending, created_at: now }, { attempts: [lost] }), ['next_attempt', later(100)]);
    const attempts = [lost, { ...lost, provider: 'twilio' }];
    const waiting = waitingFor(circumstances(sending, { attempts }), limits, now);
    assert.deepEqual([waiting?.what, waiting?.until], ['report', later(70)]);
    assert.match(waiting?.text ?? '', /response of twilio was lost/);
    assert.match(
      waitingFor(circumstances(sending, { attempts: [lost] }), limits, now)?.text ?? '',
      /response of postmark was lost. We ask it again/,
    );
  });

  it('a message waits for the first of several webhook deliveries, also if its time is unknown', () => {
    const delivered = { status: 'delivered', status_detail: 'delivered' } as const;
    const events = [pendingEvent, { ...pendingEvent, next_attempt_at: null }, { ...pendingEvent, next_attempt_at: later(3) }];
    assert.deepEqual(waits(delivered, { events }), ['webhook_delivery', later(3)]);
    assert.deepEqual(waits(delivered, { events: [{ ...pendingEvent, next_attempt_at: null }] }), ['webhook_delivery', null]);
  });

  it('a wait is over at the end of its time, not after it', () => {
    assert.deepEqual(waits({ scheduled_at: now }), ['hand_off', later(100)]);
    const attempts = [{ outcome: null, provider: 'twilio', started_at: later(-10), give_up_at: null }];
    assert.deepEqual(waits({ status_detail: 'sending' }, { attempts }), ['report', later(110)]);
  });

  it('the text of a wait has the provider and the number of attempts or deliveries', () => {
    const textOf = (...args: Parameters<typeof circumstances>) => waitingFor(circumstances(...args), limits, now)?.text;
    const call = (outcome: string | null, at = now) => ({ outcome, provider: 'acme', started_at: at, give_up_at: null });
    const sent = { status: 'sent', status_detail: 'awaiting_report' } as const;
    assert.match(textOf({ ...sent, provider: 'acme' }) ?? '', /report from acme;/);
    assert.match(textOf({ ...sent, provider: null }) ?? '', /report from the carrier;/);
    assert.match(textOf({ status: 'delivered' }, { events: [pendingEvent, pendingEvent] }) ?? '', / 2 pending/);
    assert.match(textOf({}, { attempts: [call(null)] }) ?? '', /acme to respond/);
    assert.match(textOf({}, { attempts: [call('unknown')] }) ?? '', /response of acme was lost/);
    assert.match(textOf({}, { attempts: [call('retryable')] }) ?? '', / 1 failed attempt;/);
    assert.match(textOf({}, { attempts: [call('retryable'), call('retryable')] }) ?? '', / 2 failed attempts;/);
  });

  it('a queued message waits for its schedule, its batch or its hand-off', () => {
    assert.deepEqual(waits({ scheduled_at: later(60) }), ['schedule', later(60)]);
    assert.deepEqual(waits({ scheduled_at: later(60) }, { batchStatus: 'paused' }), ['batch_resume', null], 'it is not sent before that');
    assert.deepEqual(waits({}, { batchStatus: 'paused' }), ['batch_resume', null]);
    assert.deepEqual(waits({ created_at: later(-60), scheduled_at: later(-10) }), ['hand_off', later(90)]);
    for (const pace of ['batch', 'account'] as const) {
      assert.deepEqual(waits({}, { pace }), ['hand_off', null]);
      assert.deepEqual(waits({}, { pace, batchStatus: 'paused' }), ['batch_resume', null]);
    }
    assert.deepEqual(waits({ scheduled_at: later(-1_000) }), ['hand_off', later(100)], 'a time in the past means now');
  });

  it('a message waits at most until it expires, unless a carrier may have it', () => {
    const refused = { outcome: 'retryable', provider: 'twilio', started_at: now, give_up_at: null } as const;
    const expiring = { expires_at: later(50) };
    assert.deepEqual(waits(expiring), ['hand_off', later(50)]);
    assert.deepEqual(waits(expiring, { pace: 'account' }), ['hand_off', later(50)]);
    assert.deepEqual(waits(expiring, { attempts: [refused] }), ['next_attempt', later(50)]);
    assert.deepEqual(waits({ expires_at: later(101) }, { attempts: [refused] }), ['next_attempt', later(100)]);
    assert.deepEqual(waits({ expires_at: later(-1) }), ['hand_off', later(-1)]);
    assert.deepEqual(waits(expiring, { batchStatus: 'paused' }), ['batch_resume', later(50)]);
    assert.deepEqual(waits({ ...expiring, scheduled_at: later(40) }), ['schedule', later(40)]);
    assert.deepEqual(waits(expiring, { attempts: [{ ...refused, outcome: null }] }), ['provider_answer', later(10)]);
    assert.deepEqual(waits(expiring, { attempts: [{ ...refused, outcome: 'unknown' }] }), ['report', later(120)]);
    assert.deepEqual(waits({ ...expiring, status: 'sent', status_detail: 'awaiting_report' }), ['report', later(1_000)]);
  });

  it('a message waits at most until the next step of its chain is sent', () => {
    const sent = { status: 'sent', status_detail: 'awaiting_report' } as const;
    const chain = { outcome: null, due_at: later(50) };
    assert.deepEqual(waits({}, { chain }), ['hand_off', later(50)]);
    assert.deepEqual(waits(sent, { chain }), ['report', later(50)]);
    assert.deepEqual(waits(sent, { chain: { ...chain, due_at: later(1_001) } }), ['report', later(1_000)]);
    assert.deepEqual(waits(sent, { chain: { ...chain, due_at: now } }), ['report', later(1_000)], 'it is decided at any moment');
    assert.deepEqual(waits(sent, { chain: { ...chain, due_at: null } }), ['report', later(1_000)], 'it is the last one');
    assert.deepEqual(waits(sent, { chain: { ...chain, outcome: 'unaffordable' } }), ['report', later(1_000)]);
    assert.deepEqual(waits({ ...sent, expires_at: later(50) }, { chain }), ['report', later(1_000)], 'the step would expire at once');
    assert.deepEqual(waits({ ...sent, expires_at: later(51) }, { chain }), ['report', later(50)]);
    assert.deepEqual(waits({ expires_at: later(51) }, { chain }), ['hand_off', later(50)]);
  });

  it('the text of a wait says what happens at its end', () => {
    const textOf = (...args: Parameters<typeof circumstances>) => waitingFor(circumstances(...args), limits, now)?.text;
    assert.equal(textOf({ expires_at: later(5) }), 'Queued for hand-off. If it is not handed off by then, it expires and is refunded');
    assert.equal(textOf({ expires_at: now }), 'Queued for hand-off', 'it expires at any moment');
    const chain = { outcome: null, due_at: later(4) };
    assert.equal(textOf({ expires_at: later(5) }, { chain }), 'Queued for hand-off. If it is not delivered by then, its fallback is sent');
    assert.equal(textOf({}, { chain: { ...chain, due_at: later(500) } }), 'Queued for hand-off');
  });
});
