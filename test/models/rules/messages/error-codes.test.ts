import assert from 'node:assert/strict';
import fc from 'fast-check';
import { adviceOn, failureOf, summaryOf } from '../../../../models/rules/messages/error-codes.js';

const undeliverable = { code: 'undeliverable', message: 'The carrier could not deliver the message' };

describe('failureOf', () => {
  const cases = {
    '30006': 'Landline or unreachable carrier',
    '30007': 'Message filtered as spam',
    '30008': 'Unknown destination',
    '30034': 'Exceeded max price',
  };
  for (const [code, message] of Object.entries(cases)) {
    it(`a failure says "${message}" for ${code}`, () => {
      for (const channel of ['sms', 'whatsapp'] as const) assert.deepEqual(failureOf(channel, code), { code, message });
    });
  }

  it('a failure of an e-mail speaks of mailboxes', () => {
    assert.deepEqual(failureOf('email', '30006'), { code: '30006', message: 'Mailbox unreachable' });
  });

  it('a failure that a provider caused comes with advice, and no other does', () => {
    for (const code of [...Object.keys(cases), 'undeliverable', 'suppressed']) assert.match(adviceOn(code) ?? '', /^[A-Z].*\.$/, code);
    for (const code of [null, '', 'cancelled', 'constructor']) assert.equal(adviceOn(code), null);
  });

  it('the summary of a code is about all channels and reasons, also for a code that is not ours', () => {
    const codes = ['30006', '30034', 'suppressed', 'handoff_unknown', 'constructor'];
    assert.deepEqual(codes.map(summaryOf), [
      'Landline, unreachable carrier or unreachable mailbox',
      'Exceeded max price',
      'The recipient is on a suppression list',
      'The carrier did not respond and cannot tell whether it accepted the message',
      'Unknown reason',
    ]);
  });

  it('a failure shows only our codes', () => {
    for (const code of [null, '', '30005', '30010', '30006 ', 'constructor', '__proto__', 'toString'])
      assert.deepEqual(failureOf('sms', code), undeliverable, String(code));
    fc.assert(
      fc.property(fc.string(), (code) => {
        if (!(code in cases)) assert.deepEqual(failureOf('sms', code), undeliverable);
      }),
    );
  });
});
