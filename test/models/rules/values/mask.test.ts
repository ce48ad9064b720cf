import assert from 'node:assert/strict';
import { maskAddresses } from '../../../../models/rules/values/mask.js';

describe('maskAddresses', () => {
  const cases: [string, string, string, string][] = [
    ['a number of a form', 'MessageSid=SM1&To=%2B15551234567&From=%2B15557654321', '+15551234567', 'MessageSid=SM1&To=***67&From=***21'],
    ['a number with a prefix', '{"to":"whatsapp:+15551234567"}', '+15551234567', '{"to":"whatsapp:***67"}'],
    ['the recipient without its plus sign', '{"recipient_id":"15551234567"}', '+15551234567', '{"recipient_id":"***67"}'],
    ['an e-mail address', '{"email":"ada.l@example.com"}', 'ada.l@example.com', '{"email":"a***@example.com"}'],
    ['an e-mail address of a form', 'to=ada%2Bx%40example.co.uk&x=1', 'x@y.test', 'to=a***%40example.co.uk&x=1'],
    ['the address of the recipient once', 'to x@y.test', 'x@y.test', 'to x***@y.test'],
    ['the recipient with signs of an expression', '{"email":"+*x@example.com"}', '+*x@example.com', '{"email":"+***@example.com"}'],
    ['the recipient with many of them', '<+e.*.*.*.*.*@example.com>', '+e.*.*.*.*.*@example.com', '<+***@example.com>'],
    ['the recipient with all signs', '"{a|b}?^$=x@y.test"', '{a|b}?^$=x@y.test', '"{***@y.test"'],
    ['the recipient in another letter case', '"A!DA@Example.com"', 'a!da@example.com', '"A***@Example.com"'],
    ['the recipient after a line break', String.raw`"550\nx!y@y.test"`, 'x!y@y.test', String.raw`"550\nx***@y.test"`],
    ['an address that ends like the recipient', 'ada.x@y.test', 'x@y.test', 'a***@y.test'],
  ];
  for (const [what, raw, to, masked] of cases) it(`an address is masked: ${what}`, () => assert.equal(maskAddresses(raw, to), masked));

  for (const raw of ['{"timestamp":"1750000000","id":"915551234567123"}', 'MessageSid=SM15551234567999', '30006']) {
    it(`a text without an address is kept: ${raw}`, () => assert.equal(maskAddresses(raw, '+15551234567'), raw));
  }

  it('an e-mail address is not an expression that finds other texts', () =>
    assert.equal(maskAddresses('{"status":"1500"}', '+1.*0@example.com'), '{"status":"1500"}'));
});
