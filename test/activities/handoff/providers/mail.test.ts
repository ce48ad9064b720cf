import assert from 'node:assert/strict';
import { subjectOf } from '../../../../activities/handoff/providers/mail.js';

describe('the subject of a mail', () => {
  it('the subject of a mail is never blank, which would leave the mail without one', () => {
    for (const subject of [undefined, '', ' ', '\t \u00a0'])
      assert.equal(subjectOf({ text: 'Hello', ...(subject === undefined ? {} : { subject }) }), '(no subject)');
    assert.equal(subjectOf({ text: 'Hello', subject: ' News ' }), ' News ');
  });
});
