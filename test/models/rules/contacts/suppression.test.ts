import assert from 'node:assert/strict';
import { isHardBounce, keywordOf } from '../../../../models/rules/contacts/suppression.js';
import { readUnsubscribeToken, unsubscribeHeaders, unsubscribeToken } from '../../../../models/rules/contacts/unsubscribe.js';

describe('keywordOf', () => {
  for (const text of ['STOP', ' stop \n', 'Stop.', '"STOP"', 'stop all', 'Opt-out', 'unsubscribe', 'QUIT!'])
    it(`${JSON.stringify(text)} is stop`, () => assert.equal(keywordOf(text), 'stop'));
  for (const text of ['start', 'UNSTOP']) it(`${text} is start`, () => assert.equal(keywordOf(text), 'start'));
  for (const text of ['', 'yes', "don't stop", 'Please stop by at 5', 'STOPP', 'stop start', 'cancel my order'])
    it(`${JSON.stringify(text)} is neither`, () => assert.equal(keywordOf(text), null));
});

describe('isHardBounce', () => {
  const bounce = { channel: 'email', status: 'failed', error_code: '30006', is_permanent: true } as const;
  it('is a mailbox that does not exist', () => assert.equal(isHardBounce(bounce), true));
  for (const [what, change] of [
    ['a failure that may pass', { is_permanent: false }],
    ['a failure of the content', { error_code: '30007' }],
    ['a phone', { channel: 'sms' }],
    ['a delivery', { status: 'delivered' }],
  ] as const) {
    it(`is not ${what}`, () => assert.equal(isHardBounce({ ...bounce, ...change }), false));
  }
});

describe('the unsubscribe link', () => {
  const key = 'k'.repeat(32);
  const id = '0198c5b1-0a10-7f3e-8b1d-000000000002';
  it('is valid after its key was replaced', () => assert.equal(readUnsubscribeToken(['other', key], unsubscribeToken(key, id)), id));
  it('names its message', () => assert.equal(readUnsubscribeToken(key, unsubscribeToken(key, id)), id));
  it('has the headers of RFC 8058', () => {
    const headers = unsubscribeHeaders('https://tidings.example', 'a.b');
    assert.deepEqual(headers, {
      'List-Unsubscribe': '<https://tidings.example/unsubscribe/a.b>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    });
  });
  const other = unsubscribeToken(key, id.replace(/2$/, '3'));
  for (const token of ['', id, `${id}.`, `${id}.x`, `${id}.${other.split('.')[1]}`, unsubscribeToken('x'.repeat(32), id), `x.${other}`])
    it(`refuses ${token.slice(-20)}`, () => assert.equal(readUnsubscribeToken(key, token), null));
});
