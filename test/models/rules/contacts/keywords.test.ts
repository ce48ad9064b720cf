import assert from 'node:assert/strict';
import { keywordOf, keywords } from '../../../../models/rules/contacts/keywords.js';

describe('keywordOf', () => {
  for (const text of [
    'STOP',
    ' stop \n',
    'Stop.',
    '"STOP"',
    'stop all',
    'Opt-out',
    'unsubscribe',
    'QUIT!',
    '“stop”',
    '"" STOP ..!',
    'stop - all',
    'opt  out',
    'Stop promotions',
    'Unsubscribe from all',
    'Unsubscribe from Promos',
    'STOP,',
    `stop${' .'.repeat(50)}`,
    'STOP?',
    '(stop)',
    '*STOP*',
    '_Stop_',
    '\u2018STOP\u2019',
    '\u201estop\u201c',
    '\uff33\uff34\uff2f\uff30', // full-width
    '\u200eST\u200bOP\u00a0',
    'STOP \u{1f6d1}',
    'opt\u2011out',
    'ARRÊT',
    'arret',
    'Désabonner',
    'BAJA',
    '¡PARAR!',
    'un-subscribe',
    'Abonelikten çık',
    'Se désinscrire',
    'Hu\u0309y đăng ký', // a combining accent
    'Sair',
    'STOPP',
    'abmelden',
    'Afmelden',
    'WYPISZ',
    'odhlásit',
    'ΣΤΟΠ',
    'стоп',
    'הסר',
    '退订',
    '수신거부',
    '配信停止',
    'أوقف',
  ])
    it(`${JSON.stringify(text)} is an opt-out`, () => assert.equal(keywordOf(text), 'stop'));
  for (const text of ['start', 'UNSTOP', 'Start!', '*Resubscribe*', 'non-arrêt', 'nonarret'])
    it(`${JSON.stringify(text)} ends an opt-out`, () => assert.equal(keywordOf(text), 'start'));
  for (const text of [
    '',
    'yes',
    "don't stop",
    'Please stop by at 5',
    'no',
    'non',
    'cancelar',
    'anmelden',
    'Subscribe', // a button of any workspace
    'Alta',
    'Alto',
    'Paré !', // French: ready
    'Arrêté', // French: stopped
    'Fermă', // Romanian: farm
    'Cancel?',
    '*Cancel?!* \u{1f642}',
    'Un stop', // French: a stop
    'End ?',
    'stop sign',
    'stop start',
    'cancel my order',
    'st"op',
    'stop!now',
    'stop\u00a71',
  ])
    it(`${JSON.stringify(text)} is no opt-out, and ends none`, () => assert.equal(keywordOf(text), null));
});

describe('the words of opt-outs', () => {
  it('the words of opt-outs have one meaning each', () => {
    for (const { stop, start = [] } of Object.values(keywords)) {
      for (const word of stop) assert.equal(keywordOf(word), 'stop', word);
      for (const word of start) assert.equal(keywordOf(word), 'start', word);
    }
  });
});
