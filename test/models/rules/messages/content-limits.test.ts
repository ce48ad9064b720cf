import assert from 'node:assert/strict';
import { faultOfTexts, isReference, isSubject, textSizeMax, textUnitsMax } from '../../../../models/rules/messages/content-limits.js';
import { dueTime, isAhead } from '../../../../models/rules/messages/schedule.js';

const phoneFault = 'content.text must be at most 1600 characters';
const mailFault = 'content.text and content.html must be at most 90 kB together';

describe('the limits of a content', () => {
  for (const channel of ['sms', 'whatsapp'] as const) {
    it(`a text may have 1600 characters on ${channel}, whatever their size`, () => {
      assert.equal(faultOfTexts(channel, '😀'.repeat(1600), undefined), null);
      assert.equal(faultOfTexts(channel, 'x'.repeat(1601), undefined), phoneFault);
    });
  }

  it('text and html of an e-mail may have 90 kB together', () => {
    assert.equal(faultOfTexts('email', 'x'.repeat(92_160), undefined), null);
    assert.equal(faultOfTexts('email', 'x'.repeat(92_161), undefined), mailFault);
    assert.equal(faultOfTexts('email', 'ä'.repeat(23_040), 'ä'.repeat(23_040)), null);
    assert.equal(faultOfTexts('email', 'ä'.repeat(23_040), 'ä'.repeat(23_041)), mailFault);
  });

  it('the limits of a content leave room for the longest text: two units for a character, one for a byte', () => {
    assert.deepEqual([textUnitsMax('sms'), textUnitsMax('email')], [3200, 92_160]);
    assert.deepEqual([textSizeMax(['sms', 'whatsapp']), textSizeMax(['sms', 'email'])], [1600, 92_160]);
  });

  it('a subject is one line of at most 998 characters', () => {
    assert.ok(isSubject('😀'.repeat(998)));
    for (const subject of ['x'.repeat(999), 'a\rb', 'a\nb', 'a\n'])
      assert.equal(isSubject(subject), false, JSON.stringify(subject.slice(0, 9)));
  });

  it('a reference has 1 to 255 characters', () => {
    assert.deepEqual(['', 'x', '😀'.repeat(255), 'x'.repeat(256)].map(isReference), [false, true, true, false]);
  });
});

describe('a scheduled time', () => {
  const created_at = new Date('2027-01-01T00:00:00Z');
  const isAheadAt = (ms: number) => isAhead({ scheduled_at: new Date(created_at.getTime() + ms), created_at });
  it('a scheduled time is waited for only when it is after the acceptance', () => {
    assert.deepEqual([isAheadAt(1), isAheadAt(0), isAheadAt(-1), isAhead({ scheduled_at: null, created_at })], [true, false, false, false]);
  });
  it('a message is due at its scheduled time, but not before its acceptance', () => {
    const dueAt = (ms: number) =>
      dueTime({ scheduled_at: new Date(created_at.getTime() + ms), created_at }).getTime() - created_at.getTime();
    assert.deepEqual([dueAt(1), dueAt(-1), dueTime({ scheduled_at: null, created_at })], [1, 0, created_at]);
  });
});
