import assert from 'node:assert/strict';
import {
  addressField,
  faultOfRecipient,
  hasPhoneNumbers,
  noAddressText,
  recipientKey,
} from '../../../../models/rules/messages/recipient.js';

describe('recipients of a channel', () => {
  for (const channel of ['sms', 'whatsapp'] as const) {
    it(`recipients of ${channel} are phone numbers`, () => {
      assert.equal(faultOfRecipient(channel, '+15551234567'), null);
      assert.equal(faultOfRecipient(channel, 'ann@example.com'), 'Phone number must be in E.164 format');
      assert.deepEqual([addressField(channel), hasPhoneNumbers(channel)], ['phone', true]);
      assert.equal(noAddressText(channel), 'Contact has no phone number');
      assert.equal(recipientKey(channel, '+15551234567'), '+15551234567');
    });
  }

  it('recipients of e-mail are addresses', () => {
    assert.equal(faultOfRecipient('email', 'ann@example.com'), null);
    assert.equal(faultOfRecipient('email', '+15551234567'), 'Invalid email address');
    assert.deepEqual([addressField('email'), hasPhoneNumbers('email')], ['email', false]);
    assert.equal(noAddressText('email'), 'Contact has no e-mail address');
  });
});
