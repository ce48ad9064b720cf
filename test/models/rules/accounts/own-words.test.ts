import assert from 'node:assert/strict';
import { isMadeOfOwnWords } from '../../../../models/rules/accounts/own-words.js';

const account = { email: 'ada.lovelace@example.com', name: 'Österreich & Söhne' };

describe('a password of words of its own account', () => {
  for (const password of [
    'ada.lovelace@example.com',
    'ADA.LOVELACE@EXAMPLE.COM',
    'ada.lovelace',
    'adalovelace1815',
    '2026-Ada-Lovelace!',
    'österreich & söhne',
    'o\u0308sterreichso\u0308hne1',
    'tidings1',
    'TidingsTidings',
    '12tidings34adalovelace56',
  ])
    it(`is found: ${password}`, () => assert.equal(isMadeOfOwnWords(password, account), true));

  for (const password of ['correct horse', 'adalovelace likes it', 'my tidings', '1234567890', '!!!!!!!!', 'lovelace', 'x'.repeat(300)])
    it(`is not found: ${password}`, () => assert.equal(isMadeOfOwnWords(password, account), false));

  it('is found for words without letters only if it is the word', () => {
    const digits = { email: '4915112345678@example.com', name: '1' };
    assert.equal(isMadeOfOwnWords('4915112345678', digits), true);
    assert.equal(isMadeOfOwnWords('4915112345679', digits), false);
  });
  it('is not found for words of one or two letters', () => {
    assert.equal(isMadeOfOwnWords('abababab1', { email: 'ab@example.com', name: 'A' }), false);
  });
  it('is decided at once for words that overlap', () => {
    const startedAt = performance.now();
    assert.equal(isMadeOfOwnWords(`${'a'.repeat(127)}b`, { email: 'aaaa@example.com', name: 'aaa' }), false);
    assert.ok(performance.now() - startedAt < 1000);
  });
});
