import assert from 'node:assert/strict';
import { readUnsubscribeToken, unsubscribeHeaders, unsubscribeToken } from '../../../../models/rules/contacts/unsubscribe.js';

describe('the unsubscribe link', () => {
  const key = 'k'.repeat(32);
  const id = '0198c5b1-0a10-7f3e-8b1d-000000000002';
  it('the unsubscribe link is valid after its key was replaced', () =>
    assert.equal(readUnsubscribeToken(['other', key], unsubscribeToken(key, id)), id));
  it('the unsubscribe link is valid for years, in later versions too', () =>
    assert.equal(unsubscribeToken(key, id), '0198c5b1-0a10-7f3e-8b1d-000000000002.7PKTsgPVwcW7qh8CXCaP8V3sFBy6BP2mk3pC-ZRsfBs'));
  it('the unsubscribe link contains the id of its message', () => assert.equal(readUnsubscribeToken([key], unsubscribeToken(key, id)), id));
  it('the unsubscribe link has the headers of RFC 8058', () => {
    const headers = unsubscribeHeaders('https://tidings.example', 'a.b');
    assert.deepEqual(headers, {
      'List-Unsubscribe': '<https://tidings.example/unsubscribe/a.b>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    });
  });
  const other = unsubscribeToken(key, id.replace(/2$/, '3'));
  for (const [what, token] of [
    ['no token', ''],
    ['an id alone', id],
    ['an empty signature', `${id}.`],
    ['a signature of one character', `${id}.x`],
    ['the signature of another id', `${id}.${other.split('.')[1]}`],
    ['a signature by another key', unsubscribeToken('x'.repeat(32), id)],
    ['a part before the token', `x.${other}`],
    ['a part after the token', `${other}.x`],
    ['a signed text that is no id', unsubscribeToken(key, 'x')],
  ] as const)
    it(`an unsubscribe link with ${what} is refused`, () => assert.equal(readUnsubscribeToken([key], token), null));
});
