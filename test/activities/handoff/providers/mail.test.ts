import assert from 'node:assert/strict';
import { asciiSender, quotedSender, subjectOf } from '../../../../activities/handoff/providers/mail.js';

describe('the subject of a mail', () => {
  it('the subject of a mail is never blank, which would leave the mail without one', () => {
    for (const subject of [undefined, '', ' ', '\t \u00a0'])
      assert.equal(subjectOf({ text: 'Hello', ...(subject === undefined ? {} : { subject }) }), '(no subject)');
    assert.equal(subjectOf({ text: 'Hello', subject: ' News ' }), ' News ');
  });
});

describe('the sender of a mail', () => {
  it('the name of a sender with a dot is in quotes, because the dot needs them', () => {
    for (const [from, expected] of [
      ['Example Inc. <hello@example.test>', '"Example Inc." <hello@example.test>'],
      ["Ada's_2-nd Co <hello@example.test>", "Ada's_2-nd Co <hello@example.test>"],
      ['hello@example.test', 'hello@example.test'],
    ] as const) {
      assert.equal(quotedSender(from), expected);
      assert.equal(asciiSender(from), expected);
    }
    assert.equal(quotedSender('Söhne Co. <hello@example.test>'), '"Söhne Co." <hello@example.test>');
    assert.match(asciiSender('Söhne Co. <hello@example.test>'), /^=\?UTF-8\?B\?[\w+/=]+\?= <hello@example\.test>$/);
  });
});
