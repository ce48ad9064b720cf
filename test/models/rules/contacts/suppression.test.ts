import assert from 'node:assert/strict';
import { expiryOf, isByRecipient, isHardBounce, refusalReason } from '../../../../models/rules/contacts/suppression.js';

describe('isHardBounce', () => {
  const bounce = { channel: 'email', status: 'failed', error_code: '30006', is_permanent: true } as const;
  it('a mailbox that does not exist is a hard bounce', () => assert.equal(isHardBounce(bounce), true));
  it('an address that does not exist is a hard bounce', () => assert.equal(isHardBounce({ ...bounce, error_code: '30008' }), true));
  it('an address on the list of the provider is a hard bounce', () =>
    assert.equal(isHardBounce({ ...bounce, error_code: 'suppressed' }), true));
  for (const [what, change] of [
    ['a failure that may pass', { is_permanent: false }],
    ['a failure of the content', { error_code: '30007' }],
    ['a phone', { channel: 'sms' }],
    ['a delivery', { status: 'delivered' }],
  ] as const) {
    it(`${what} is no hard bounce`, () => assert.equal(isHardBounce({ ...bounce, ...change }), false));
  }
});

describe('a suppression', () => {
  it('a suppression ends after 30 days for a bounce, and never for another reason', () => {
    const from = new Date('2027-01-01T00:00:00Z');
    assert.deepEqual(expiryOf('bounce', from), new Date('2027-01-31T00:00:00Z'));
    for (const reason of ['opt_out', 'complaint', 'manual'] as const) assert.equal(expiryOf(reason, from), null);
  });

  it('a suppression can be ended only by the recipient who made it', () => {
    for (const reason of ['opt_out', 'complaint'] as const) {
      for (const source of ['inbound', 'provider', 'report', 'unsubscribe'] as const) assert.equal(isByRecipient({ reason, source }), true);
      assert.equal(isByRecipient({ reason, source: 'api' }), false);
    }
    for (const reason of ['bounce', 'manual'] as const) assert.equal(isByRecipient({ reason, source: 'report' }), false);
  });

  it('a suppression is a bounce on the list of a mail provider, and an opt-out on that of a phone carrier', () => {
    assert.deepEqual([refusalReason('email'), refusalReason('sms'), refusalReason('whatsapp')], ['bounce', 'opt_out', 'opt_out']);
  });
});
