import assert from 'node:assert/strict';
import { plainName } from '../../../../models/rules/accounts/plain-name.js';
import { renderMail } from '../../../../models/rules/accounts/mail-texts.js';

const names: [string, string][] = [
  ['Acme Inc.', 'Acme Inc.'],
  ['Müller & Söhne', 'Müller & Söhne'],
  ['A\r\n\r\nYour account is locked\u2028\u0000\u001b[31m', 'A Your account is locked [31m'],
  ['Win at https://evil.example/x?y now', 'Win at now'],
  ['visit evil.example or www.evil.example', 'visit evil example or evil example'],
  ['mail me@evil.example', 'mail me evil example'],
  ['evil.example/pay', 'evil example pay'],
  ['1.5 or 2... or Acme.', '1 5 or 2... or Acme.'],
  ['one https://evil.example/two', 'one'],
  ['onehttps://evil.example', ''],
  ['evil\u3002example', 'evil example'],
  ['http://evil.example', ''],
  ['\u202eRTL\u200b', 'RTL'],
];

describe('plainName', () => {
  for (const [name, plain] of names) {
    const shown = JSON.stringify(name).replace('\u2028', '\\u2028'); // a title is one line
    it(`the plain name of ${shown} is ${JSON.stringify(plain)}`, () => assert.equal(plainName(name), plain));
  }
  it('a plain name has at most 60 characters, and says when it is cut', () => {
    assert.equal(plainName('😀'.repeat(60)), '😀'.repeat(60));
    assert.equal(plainName('😀'.repeat(255)), `${'😀'.repeat(59)}…`);
    assert.equal(plainName(`${'x'.repeat(58)} ${'y'.repeat(9)}`), `${'x'.repeat(58)}…`);
  });
  it('a mail greets without a name when no character of it remains', () => {
    const { text } = renderMail('verify_email', {
      name: 'https://evil.example',
      publicUrl: 'https://x.test',
      token: 't',
      isVerified: false,
    });
    assert.ok(text.startsWith('Hello,\n'));
  });
});
