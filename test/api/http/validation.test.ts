import assert from 'node:assert/strict';
import { sendBody } from '../../../api/endpoints/messages/message-schemas.js';
import { parseObject } from '../../../api/http/parse-body.js';
import { check } from '../../../api/http/schemas/validation.js';
import { channels } from '../../../models/channels.js';

const good = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } };
const faults = (body: object) => check(sendBody, body).faults.map(({ field, message }) => `${field}: ${message}`);
const goodWith = (changes: object) => ({ ...good, ...changes });
const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));

describe('validation of messages/send', () => {
  const missing = 'Missing required field';
  const cases: [string, object, string[]][] = [
    ['a good body', good, []],
    ['an empty body', {}, [`to: ${missing}: to`, `channel: ${missing}: channel`, `content.text: ${missing}: content.text`]],
    [
      'nulls',
      { to: null, channel: null, content: null },
      [`to: ${missing}: to`, `channel: ${missing}: channel`, `content.text: ${missing}: content.text`],
    ],
    [
      'empty texts',
      { to: '', channel: '', content: { text: '' } },
      [`to: ${missing}: to`, `channel: ${missing}: channel`, `content.text: ${missing}: content.text`],
    ],
    ['a null text', goodWith({ content: { text: null } }), [`content.text: ${missing}: content.text`]],
    [
      'wrong types',
      { to: 5, channel: {}, content: 'x' },
      ['to: to must be a string', 'channel: channel must be a string', 'content: content must be an object'],
    ],
    ['a list as content', goodWith({ content: [] }), ['content: content must be an object']],
    ['a number as text', goodWith({ content: { text: 5 } }), ['content.text: content.text must be a string']],
    ['voice', goodWith({ channel: 'voice' }), [`channel: Invalid channel. Must be one of: ${channels.join(', ')}`]],
    ['a channel in capitals', goodWith({ channel: 'SMS' }), [`channel: Invalid channel. Must be one of: ${channels.join(', ')}`]],
    ['a bad number', goodWith({ to: '15551234567' }), ['to: Phone number must be in E.164 format']],
    ['a bad number on whatsapp', goodWith({ channel: 'whatsapp', to: 'a@b.co' }), ['to: Phone number must be in E.164 format']],
    ['a number on email', goodWith({ channel: 'email' }), ['to: Invalid email address']],
    ['an address on email', goodWith({ channel: 'email', to: 'a@b.co' }), []],
    ['NUL', goodWith({ content: { text: 'a\0b' } }), ['content.text: content.text must be valid text']],
    ['a lone surrogate', goodWith({ to: '+1555\ud800' }), ['to: to must be valid text']],
    ['NUL in a reference', goodWith({ reference: '\0' }), ['reference: reference must be valid text']],
    ['nulls where nothing is required', goodWith({ metadata: null, reference: null, scheduled_at: null, expires_at: null }), []],
    ['an empty reference', goodWith({ reference: '' }), ['reference: reference must be 1 to 255 characters']],
    ['255 characters', goodWith({ reference: '😀'.repeat(255) }), []],
    ['256 characters', goodWith({ reference: 'x'.repeat(256) }), ['reference: reference must be 1 to 255 characters']],
    ['1,600 characters', goodWith({ content: { text: '😀'.repeat(1600) } }), []],
    ['1,601 characters', goodWith({ content: { text: 'x'.repeat(1601) } }), ['content.text: content.text must be at most 1600 characters']],
    ['a long e-mail', goodWith({ channel: 'email', to: 'a@b.co', content: { text: 'x'.repeat(60_000), html: 'x'.repeat(30_000) } }), []],
    [
      'a line break in a subject',
      goodWith({ content: { text: 'x', subject: 'a\r\nBcc: x' } }),
      ['content.subject: content.subject must be one line of at most 998 characters'],
    ],
    ['unknown fields', goodWith({ status: 'delivered', credits_used: 0, content: { text: 'x', image: 5 } }), []],
  ];
  for (const [what, body, expected] of cases)
    it(`a send with ${what}: ${expected.join(' · ').slice(0, 90) || 'passes'}`, () => assert.deepEqual(faults(body), expected));

  it('an e-mail with more than 90 kB of text and html is refused', () => {
    const content = { text: 'x'.repeat(60_000), html: 'ä'.repeat(20_000) };
    assert.deepEqual(faults(goodWith({ channel: 'email', to: 'a@b.co', content })), [
      'content.text: content.text and content.html must be at most 90 kB together',
    ]);
  });

  it('the faults of a fallback name the content at its place, before later fields', () => {
    const fallback = [{ channel: 'sms', to: '+15551234567', after: 60 }];
    const given = { channel: 'email', to: 'a@b.co', content: { text: 'x'.repeat(2_000) }, scheduled_at: 'x', fallback };
    assert.deepEqual(
      check(sendBody, given).faults.map(({ field }) => field),
      ['content.text', 'scheduled_at'],
    );
  });

  it('unknown fields of a send are dropped', () => {
    assert.deepEqual(check(sendBody, { ...good, id: 'x', content: { text: 'Hello', id: 'x' } }).value, good);
  });

  describe('metadata', () => {
    const metadataCases: [string, unknown, string[]][] = [
      ['a text instead of an object', 'x', ['metadata: metadata must be an object']],
      ['a list instead of an object', [], ['metadata: metadata must be an object']],
      ['50 keys', keys(50), []],
      ['51 keys', keys(51), ['metadata: metadata must have at most 50 keys']],
      ['5 levels', nested(5), []],
      ['6 levels', nested(6), ['metadata: metadata must be at most 5 levels deep']],
      ['5 levels with lists', { a: [[[[]]]] }, []],
      ['6 levels with lists', { a: [[[[[]]]]] }, ['metadata: metadata must be at most 5 levels deep']],
      [
        '20,000 levels',
        JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`),
        ['metadata: metadata must be at most 5 levels deep'],
      ],
      ['4,096 bytes', { a: 'x'.repeat(4088) }, []],
      ['4,097 bytes', { a: 'x'.repeat(4089) }, ['metadata: metadata must be at most 4096 bytes']],
      ['2,053 characters in 4,098 bytes', { a: 'ä'.repeat(2045) }, ['metadata: metadata must be at most 4096 bytes']],
      ['NUL in a value', { a: { b: ['x', '\0'] } }, ['metadata.a.b[1]: metadata.a.b[1] must be valid text']],
      ['NUL in a key', { 'a\0': 1 }, ['metadata: metadata must be valid text']],
      ['a surrogate in a value', { a: '\udc00' }, ['metadata.a: metadata.a must be valid text']],
      ['infinity', { a: Number.POSITIVE_INFINITY }, ['metadata.a: metadata.a must be a number']],
      ['a key constructor', { constructor: 1 }, ['metadata: metadata must not have a key constructor']],
      ['a key prototype', { a: { prototype: 1 } }, ['metadata.a: metadata.a must not have a key prototype']],
    ];
    for (const [what, metadata, expected] of metadataCases)
      it(`metadata with ${what}: ${expected.join(' · ') || 'passes'}`, () => assert.deepEqual(faults(goodWith({ metadata })), expected));

    it('metadata with a key __proto__ is refused', () => {
      assert.deepEqual(faults(goodWith({ metadata: JSON.parse('{"__proto__": {"x": 1}}') })), [
        'metadata: metadata must not have a key __proto__',
      ]);
    });
    it('metadata keeps all other keys', () => {
      const metadata = { b: [1, null, true, { c: 'ä' }], a: '' };
      assert.deepEqual(check(sendBody, goodWith({ metadata })).value.metadata, metadata);
    });
  });

  describe('dates', () => {
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    for (const value of ['tomorrow', '', '2026-01-01', '2026-01-01T10:00:00', '2026-02-30T10:00:00Z']) {
      it(`a date is refused: ${JSON.stringify(value)}`, () =>
        assert.deepEqual(faults(goodWith({ scheduled_at: value })), ['scheduled_at: Invalid date format']));
    }
    it('a number is refused as a date', () =>
      assert.deepEqual(faults(goodWith({ expires_at: 5 })), ['expires_at: expires_at must be a string']));
    it('a date 29 days ahead or in the past is accepted', () =>
      assert.deepEqual(faults(goodWith({ scheduled_at: inDays(29) })).concat(faults(goodWith({ scheduled_at: inDays(-9) }))), []));
    it('a date 31 days ahead is refused', () =>
      assert.deepEqual(faults(goodWith({ scheduled_at: inDays(31) })), ['scheduled_at: scheduled_at must be at most 30 days ahead']));
    it('a text with a date becomes a Date', () =>
      assert.ok(check(sendBody, goodWith({ scheduled_at: '2026-01-01T10:00:00+02:00' })).value.scheduled_at instanceof Date));
  });
});

describe('parseObject', () => {
  const parse = (text: string) => parseObject(Buffer.from(text));
  it('an empty body is read as an empty object, and a byte order mark is skipped', () => {
    assert.deepEqual(parse(''), {});
    assert.deepEqual(parse('\ufeff{"a":1}'), { a: 1 });
  });
  for (const text of ['{', '[]', '"x"', '5', 'null', 'true', 'a=b', '{"a":1}x', "{'a':1}", ' ']) {
    it(`a body is refused: ${text}`, () => assert.throws(() => parse(text), { message: 'Invalid JSON body', code: 'validation_failed' }));
  }
  it('a body with bytes that are not UTF-8 is refused', () =>
    assert.throws(() => parseObject(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])), { message: 'Invalid JSON body' }));
  it('__proto__ is dropped from the body and from its objects', () => {
    const body = parse('{"__proto__":{"to":"x"},"content":{"__proto__":{"text":"x"}}}') as { content: object };
    assert.deepEqual(Object.getOwnPropertyNames(body), ['content']);
    assert.deepEqual(Object.getOwnPropertyNames(body.content), []);
    assert.equal(check(sendBody, body).faults.length, 3);
  });
});
