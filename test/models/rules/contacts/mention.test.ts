import assert from 'node:assert/strict';
import { mentionInKey, mentionOf, roughMentionOf } from '../../../../models/rules/contacts/mention.js';

const isIn = (text: string, recipient: string) => new RegExp(mentionOf(recipient)).test(text.toLowerCase());
/** As LIKE finds it: the parts of the pattern in their order. */
const isRoughlyIn = (text: string, recipient: string) =>
  new RegExp(roughMentionOf(recipient).split('%').join('.*'), 's').test(text.toLowerCase());
const phone = '+15551234567';
const address = "o'ada+x@mail.example.com";

describe('mentionOf', () => {
  const formats: Record<string, (to: string) => string> = {
    'a form': (to) => new URLSearchParams({ a: '1', To: to, b: '2' }).toString(),
    'a form of WhatsApp': (to) => new URLSearchParams({ To: `whatsapp:${to}`, MessageStatus: 'sent' }).toString(),
    JSON: (to) => JSON.stringify({ to, timestamp: '1700000000' }),
    'JSON in JSON': (to) => JSON.stringify({ Message: JSON.stringify({ destination: [`<${to}>`] }) }),
    'a line of its own': (to) => JSON.stringify({ diagnostic: `550 5.1.1\n${to}\nunknown user` }),
    'a key of a client': (to) => `for:${to}/3`,
    'escaped quotes': (to) => `\\u0022${to}\\u0022`,
  };
  for (const [name, write] of Object.entries(formats)) {
    it(`a number and an address are found in ${name}`, () => {
      assert.ok(isIn(write(phone), phone));
      assert.ok(isIn(write(phone.slice(1)), phone), 'without the plus sign');
      assert.ok(isIn(write(address), address));
      assert.ok(isIn(write(address.toUpperCase()), address));
      for (const to of [phone, address]) assert.ok(isRoughlyIn(write(to), to), `${to}, roughly`);
    });
  }

  it('a part of a longer number is no mention', () => {
    for (const other of ['+155512345678', '+115551234567', '15551234567890']) {
      for (const write of Object.values(formats)) assert.equal(isIn(write(other), phone), false, write(other));
    }
  });

  it('the end or the start of a longer address is no mention', () => {
    for (const other of [`x${address}`, `x.${address}`, `${address}.au`, `${address}x`, address.replace('mail.', '')]) {
      for (const write of [formats['a form'], formats.JSON]) assert.equal(isIn(write?.(other) ?? '', address), false, other);
    }
  });

  it('an address is found between words of a key, and a longer one of the same end is no mention', () => {
    const isInKey = (key: string) => new RegExp(mentionInKey('ada@example.com')).test(key);
    for (const key of ['news-ada@example.com', 'ada@example.com-7', 'ada@example.com.7', 'a_ada@example.com_b'])
      assert.ok(isInKey(key), key);
    for (const key of ['xada@example.com', 'ada@example.community', 'ada@example.com.au']) assert.equal(isInKey(key), false, key);
  });

  it('a number of very few digits is found with its plus sign only', () => {
    assert.ok(isIn('{"to":"+12"}', '+12') && isIn('To=%2B12&From=', '+12'));
    for (const text of ['{"at":"2026-12-12T12:12:12+12:00","code":12}', 'To=%2B120', '{"to":"12"}'])
      assert.equal(isIn(text, '+12'), false, text);
  });
});
