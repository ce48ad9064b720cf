import assert from 'node:assert/strict';
import { lookAlike } from '../../../models/rules/values/look-alike.js';

const known = ['to', 'tag', 'channel', 'content', 'metadata', 'reference', 'scheduled_at', 'expires_at', 'fallback'];

describe('a name that looks like a known one', () => {
  for (const [name, meant] of [
    ['scheduledAt', 'scheduled_at'],
    ['Scheduled-At', 'scheduled_at'],
    ['SCHEDULED_AT', 'scheduled_at'],
    ['schedule_at', 'scheduled_at'],
    ['schedul_at', 'scheduled_at'],
    ['chanel', 'channel'],
    ['chnanel', 'channel'],
    ['meta_data', 'metadata'],
    ['refrense', 'reference'],
    ['tags', 'tag'],
    ['To', 'to'],
    ['too', 'to'],
    ['ot', 'to'],
    ['tga', 'tag'],
    ['hcanel', 'channel'],
    ['chane', 'channel'],
    ['s-c-h-e-d-u-l-e-d at', 'scheduled_at'],
  ] as const) {
    it(`${name} looks like ${meant}`, () => assert.equal(lookAlike(name, known), meant));
  }
  for (const name of ['id', 'cc', 'from', 'text', 'search', 'status', 'created_at', 'callback_url', '', 'x'.repeat(10_000)]) {
    it(`"${name.slice(0, 20)}" looks like no known name`, () => assert.equal(lookAlike(name, known), undefined));
  }
  for (const [name, other] of [
    ['tagxx', 'tag'],
    ['tags', 'tagset'],
    ['xa', 'ab'],
    ['bx', 'ab'],
    ['hcxnel', 'channel'],
  ] as const) {
    it(`${name} does not look like ${other}`, () => assert.equal(lookAlike(name, [other]), undefined));
  }
  it('a name that looks like a known one suggests the nearest of two known names', () =>
    assert.equal(lookAlike('stat_date', ['end_date', 'start_date', 'state_date']), 'start_date'));
  it('each known name is brought into one style once for a hundred unknown names', () => {
    const { toLowerCase } = String.prototype;
    const names = Array.from({ length: 30 }, (_, index) => `known_field_${index}`);
    let count = 0;
    // oxlint-disable-next-line no-extend-native -- counts the conversions, and is undone below
    String.prototype.toLowerCase = function counted() {
      count += 1;
      return toLowerCase.call(this);
    };
    try {
      for (let index = 0; index < 100; index += 1) lookAlike(`other${index}`, names);
    } finally {
      // oxlint-disable-next-line no-extend-native
      String.prototype.toLowerCase = toLowerCase;
    }
    assert.ok(count <= 2 * names.length + 2 * 100, `${count} conversions`);
  });
});
