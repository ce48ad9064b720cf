import assert from 'node:assert/strict';
import { keywords } from '../../../../models/rules/contacts/keywords.js';
import { expiryOf, isHardBounce, isByRecipient, keywordOf, refusalReason } from '../../../../models/rules/contacts/suppression.js';
import { readUnsubscribeToken, unsubscribeHeaders, unsubscribeToken } from '../../../../models/rules/contacts/unsubscribe.js';

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

describe('isHardBounce', () => {
  const bounce = { channel: 'email', status: 'failed', error_code: '30006', is_permanent: true } as const;
  it('a mailbox that does not exist is a hard bounce', () => assert.equal(isHardBounce(bounce), true));
  it('an address that does not exist is a hard bounce', () => assert.equal(isHardBounce({ ...bounce, error_code: '30008' }), true));
  it('an address on the list of the provider is a hard bounce', () =>
    assert.equal(isHardBounce({ ...bounce, error_code: 'suppressed' }), true));
  for (const [what, change] of [
    ['a failure that may pass', { is_permanent: false }],
    ['a failure of the content', { error_code: '30007' }],
    ['a phone', { channel: 'sms' }],
    ['a delivery', { status: 'delivered' }],
  ] as const) {
    it(`${what} is no hard bounce`, () => assert.equal(isHardBounce({ ...bounce, ...change }), false));
  }
});

describe('a suppression', () => {
  it('a suppression ends after 30 days for a bounce, and never for another reason', () => {
    const from = new Date('2027-01-01T00:00:00Z');
    assert.deepEqual(expiryOf('bounce', from), new Date('2027-01-31T00:00:00Z'));
    for (const reason of ['opt_out', 'complaint', 'manual'] as const) assert.equal(expiryOf(reason, from), null);
  });

  it('a suppression can be ended only by the recipient who made it', () => {
    for (const reason of ['opt_out', 'complaint'] as const) {
      for (const source of ['inbound', 'provider', 'report', 'unsubscribe'] as const) assert.equal(isByRecipient({ reason, source }), true);
      assert.equal(isByRecipient({ reason, source: 'api' }), false);
    }
    for (const reason of ['bounce', 'manual'] as const) assert.equal(isByRecipient({ reason, source: 'report' }), false);
  });

  it('a suppression is a bounce on the list of a mail provider, and an opt-out on that of a phone carrier', () => {
    assert.deepEqual([refusalReason('email'), refusalReason('sms'), refusalReason('whatsapp')], ['bounce', 'opt_out', 'opt_out']);
  });
});

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
    ['a signed text that is no id', unsubscribeToken(key, 'x')],
  ] as const)
    it(`an unsubscribe link with ${what} is refused`, () => assert.equal(readUnsubscribeToken([key], token), null));
});
