import assert from 'node:assert/strict';
import { isMadeOfOwnWords } from '../../../../models/rules/accounts/own-words.js';

const account = { email: 'ada.lovelace@example.com', name: 'Österreich & Söhne' };

describe('a password of words of its own account', () => {
  for (const password of [
    'ada.lovelace@example.com',
    'ADA.LOVELACE@EXAMPLE.COM',
    'ada.lovelace',
    'österreich & söhne',
    'o\u0308sterreich & so\u0308hne',
    'tidings1',
    '12-Tidings-34!',
    'TidingsTidings',
  ])
    it(`a password of words of its own account is found: ${password}`, () => assert.equal(isMadeOfOwnWords(password, account), true));

  for (const password of [
    'correct horse',
    'ada.lovelace1815',
    'my tidings',
    '1234567890',
    '!!!!!!!!',
    'tidingsx',
    'tidings'.repeat(40) + 'x',
  ])
    it(`a password of other words is not found: ${password.slice(0, 20)}`, () => assert.equal(isMadeOfOwnWords(password, account), false));
});
